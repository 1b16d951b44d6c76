def measure(p,o): pass
