say { x = 0 / 0 }
