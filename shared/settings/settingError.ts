/** A setting that is missing or wrong. The message names it and says what is allowed. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
