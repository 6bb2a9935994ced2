/** The error for a missing or wrong setting. Its message names the setting and the allowed values. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
