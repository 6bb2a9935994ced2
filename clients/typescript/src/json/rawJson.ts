/**
 * A value as JSON text. `JSON.parse` rounds numbers of more than about 16 digits; this keeps every character. Pass one
 * as the `data` of an event, and ask for one with the option `rawData`.
 */
export class RawJson {
  /** The JSON text. */
  readonly text: string;

  /** @throws TypeError if the text is not JSON */
  constructor(text: string) {
    try {
      JSON.parse(text);
    } catch (error) {
      throw new TypeError('RawJson takes one valid JSON text.', { cause: error });
    }
    this.text = text;
  }

  /** The value of the text, with rounded numbers. For exact ones, give `text` to a parser that has them. */
  parse(): unknown {
    return JSON.parse(this.text);
  }

  /** The JSON text. */
  toString(): string {
    return this.text;
  }
}
