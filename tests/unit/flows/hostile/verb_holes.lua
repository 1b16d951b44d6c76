say { 1, nil, nil, 4 }
