/** The browser features that no page of the service uses. */
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
 * The headers of a page for browsers. The headers isolate the page from pages of other origins. The page loads a
 * resource of another origin only if that origin permits it, and uses no device.
 * @param contentSecurityPolicy the directives in addition to the directives of all pages
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
