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
 * @param embedding the origins of the pages that may embed the page, if it is made for embedding. Such a page may also
 *   load images of other origins without their permission
 */
export function pageHeadersOf(
  contentSecurityPolicy: readonly string[],
  embedding: { readonly origins: readonly string[] } | null = null,
): Readonly<Record<string, string>> {
  const origins = embedding?.origins ?? [];
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      ...contentSecurityPolicy,
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${origins.length === 0 ? "'none'" : origins.join(' ')}`,
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(embedding === null && { 'Cross-Origin-Embedder-Policy': 'require-corp' }),
    'Permissions-Policy': unusedFeatures.map((feature) => `${feature}=()`).join(', '),
    'Referrer-Policy': 'no-referrer',
  };
}
