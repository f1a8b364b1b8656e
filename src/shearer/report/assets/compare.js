Shearer.shorten = (name) => name;
Shearer.theme.start();
