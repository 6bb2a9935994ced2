/** The features of a browser that no page here uses. */
const unusedFeatures = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
];

/**
 * The headers of a page for browsers: it shares no process with pages of other origins, loads nothing that another origin has not
 * allowed, and uses no device.
 * @param contentSecurityPolicy the directives beyond those that all pages have
 */
export function pageHeadersOf(contentSecurityPolicy: readonly string[]): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      ...contentSecurityPolicy,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Embedder-Policy': 'require-corp',
    'Permissions-Policy': unusedFeatures.map((feature) => `${feature}=()`).join(', '),
    'Referrer-Policy': 'no-referrer',
  };
}
