"""Training: a representation that does not tell the group

A network predicts an outcome from inputs that also betray a group (a hospital, a scanner). ``DependenceLoss``
beside the usual loss keeps the group out of the prediction: the larger its weight, the less the prediction depends
on the group, and the larger the error.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

import shearer as sh
from shearer.neural import DependenceLoss

rng = np.random.default_rng(0)
n = 400
group = rng.integers(0, 2, n)
skill = rng.normal(size=n)
inputs = torch.tensor(
    np.column_stack([skill + rng.normal(0, 0.5, n), group + rng.normal(0, 0.3, n)]), dtype=torch.float32
)
outcome = torch.tensor(skill + 0.8 * group + rng.normal(0, 0.3, n), dtype=torch.float32)
side = torch.tensor(group, dtype=torch.float32)[:, None]

weights, errors, dependences = [0.0, 1.0, 3.0, 10.0, 30.0], [], []
for weight in weights:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer, dependence = torch.optim.Adam(model.parameters(), lr=0.02), DependenceLoss()
    for _ in range(150):
        prediction = model(inputs)
        loss = nn.functional.mse_loss(prediction[:, 0], outcome) + weight * dependence(side, prediction)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    answer = model(inputs)[:, 0].detach().numpy()
    errors.append(float(np.mean((answer - outcome.numpy()) ** 2)))
    labels = np.where(group == 1, "one", "two")
    dependences.append(sh.pairwise({"prediction": answer, "group": labels}).strength[0, 1])
    print(
        f"weight {weight:2.0f}: squared error {errors[-1]:.2f}, strength of prediction and group {dependences[-1]:.2f}"
    )

plt.plot(errors, dependences, marker="o")
for weight, error, value in zip(weights, errors, dependences, strict=True):
    plt.annotate(f"weight {weight:g}", (error, value), xytext=(6, 4), textcoords="offset points")
plt.xlabel("mean squared error")
plt.ylabel("strength of prediction and group")
plt.margins(0.15)
