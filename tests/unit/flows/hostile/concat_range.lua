return table.concat({}, "", math.mininteger, math.maxinteger)
