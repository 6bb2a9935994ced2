/** The place of a value in a JSON text. The root has no parent. */
export interface Place {
  readonly parent: Place | null;
  /** The name or the index in the parent. The root has the name of the whole value. */
  readonly key: string | number;
}

const maximumLength = 300;

const highSurrogates = { first: 0xd800, last: 0xdbff };

/** A place as a text: `data.items[2].price`. Names that are no identifiers are quoted. At most 300 characters. */
export function placeText(place: Place): string {
  const keys: (string | number)[] = [];
  for (let at: Place | null = place; at !== null; at = at.parent) {
    keys.push(at.key);
  }
  let text = String(keys.pop());
  for (let key = keys.pop(); key !== undefined && text.length <= maximumLength; key = keys.pop()) {
    text += keyText(key);
  }
  return text.length <= maximumLength ? text : `${withoutHalfCharacter(text.slice(0, maximumLength - 1))}…`;
}

function keyText(key: string | number): string {
  if (typeof key === 'number') {
    return `[${key}]`;
  }
  const name = key.slice(0, maximumLength + 1);
  return isIdentifier(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function isIdentifier(name: string): boolean {
  let isValid = name !== '' && !isDigit(name.charCodeAt(0));
  for (let at = 0; isValid && at < name.length; at += 1) {
    isValid = isIdentifierCharacter(name.charCodeAt(at));
  }
  return isValid;
}

function isIdentifierCharacter(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return isLetter || isDigit(code) || code === 0x5f || code === 0x24;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A cut between the two units of a character leaves the first one. */
function withoutHalfCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= highSurrogates.first && last <= highSurrogates.last ? text.slice(0, -1) : text;
}
