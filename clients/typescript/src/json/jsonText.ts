/** Functions that find values in a text that is known to be JSON, so none of them looks for mistakes. */

/** A member of an object or an item of an array. */
export interface JsonPart {
  /** The name of the member, or the position of the item. */
  readonly name: string;
  /** Where its value begins. */
  readonly start: number;
}

const blanks = ' \t\n\r';
const ends = `${blanks},]}`;

/** The position after the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  switch (text.charAt(start)) {
    case '"':
      return endOfString(text, start);
    case '{':
    case '[':
      return endOfContainer(text, start);
    default:
      return endOfPlain(text, start);
  }
}

/** The parts of the object or the array that begins at `start`. */
export function* partsOf(text: string, start: number): Generator<JsonPart, void> {
  const isObject = text.charAt(start) === '{';
  let position = afterBlanks(text, start + 1);
  for (let index = 0; !'}]'.includes(text.charAt(position)); index += 1) {
    let name = String(index);
    if (isObject) {
      const end = endOfString(text, position);
      name = String(JSON.parse(text.slice(position, end)));
      position = afterBlanks(text, afterBlanks(text, end) + 1);
    }
    yield { name, start: position };
    position = afterBlanks(text, endOfValue(text, position));
    position = text.charAt(position) === ',' ? afterBlanks(text, position + 1) : position;
  }
}

function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (text.charAt(position) !== '"') {
    position += text.charAt(position) === '\\' ? 2 : 1;
  }
  return position + 1;
}

/** The depth is a number and not a recursion, because `data` may have 1,000 levels. */
function endOfContainer(text: string, start: number): number {
  let depth = 0;
  let position = start;
  do {
    const character = text.charAt(position);
    if (character === '"') {
      position = endOfString(text, position);
    } else {
      depth += '{['.includes(character) ? 1 : 0;
      depth -= '}]'.includes(character) ? 1 : 0;
      position += 1;
    }
  } while (depth > 0);
  return position;
}

/** The end of a number, `true`, `false` or `null`. */
function endOfPlain(text: string, start: number): number {
  let position = start;
  while (position < text.length && !ends.includes(text.charAt(position))) {
    position += 1;
  }
  return position;
}

function afterBlanks(text: string, start: number): number {
  let position = start;
  while (position < text.length && blanks.includes(text.charAt(position))) {
    position += 1;
  }
  return position;
}
