/** The error for a missing or wrong setting. The error's message names the setting and the allowed values. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}
