// JSON as it was written: where a member's value begins and ends in a text, so that it can be compared byte for byte.

const blank = c => c === ' ' || c === '\t' || c === '\r' || c === '\n';

function string_end(text, at) {
    for (++at; text[at] !== '"'; ++at) if (text[at] === '\\') ++at;
    return at + 1;
}

function value_end(text, at) {
    if (text[at] === '"') return string_end(text, at);
    if (text[at] !== '{' && text[at] !== '[') {
        while (at < text.length && !',]}'.includes(text[at]) && !blank(text[at])) ++at;
        return at;
    }
    for (let depth = 0; ; ++at) {
        const c = text[at];
        if (c === '"') at = string_end(text, at) - 1;
        else if (c === '{' || c === '[') ++depth;
        else if ((c === '}' || c === ']') && --depth === 0) return at + 1;
    }
}

/// {key: the text of its value} of a valid object, in its order; undefined if it is none.
export function members(text) {
    let at = 0;
    const skip = () => {
        while (blank(text[at])) ++at;
    };
    const out = {};
    skip();
    if (text[at] !== '{') return undefined;
    for (++at, skip(); text[at] !== '}'; skip()) {
        const key_end = string_end(text, at);
        const key = JSON.parse(text.slice(at, key_end));
        for (at = key_end; text[at] !== ':'; ) ++at;
        ++at;
        skip();
        const end = value_end(text, at);
        out[key] = text.slice(at, end);
        at = end;
        skip();
        if (text[at] === ',') ++at, skip();
    }
    return out;
}
