import { html } from './html.js';
import { pageText } from './pageText.js';

/** The page in which Swagger UI shows the OpenAPI document. */
export function referencePage(): string {
  return pageText({
    title: 'Postrider API',
    head: html`<link rel="stylesheet" href="/docs/swagger-ui.css" />
      <script src="/docs/swagger-ui-bundle.js" defer></script>
      <script src="/docs/initializer.js" defer></script>`,
    content: html`<div id="reference"></div>
      <noscript>
        <main class="text">
          <p>
            The API reference needs JavaScript. Without JavaScript, read the OpenAPI document at
            <a href="/openapi.json">/openapi.json</a>.
          </p>
        </main>
      </noscript>`,
  });
}

/**
 * Options of Swagger UI.
 *
 * - Without `validatorUrl: null` Swagger UI loads a badge from another host.
 * - Swagger UI keeps API keys in the memory of the page.
 */
const options = {
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
};

/**
 * The script that starts Swagger UI. The script is a separate file, because the policy of the page allows no inline
 * script.
 *
 * - Swagger UI sends requests without cookies, so the page never uses, changes or ends the session of the dashboard.
 * - Requests of Swagger UI end after 30 seconds, because the stream of events would otherwise never end.
 */
export const initializer = `'use strict';

const trialTimeoutMs = 30_000;

function withoutCookies(request) {
  return request.loadSpec
    ? request
    : { ...request, credentials: 'omit', signal: AbortSignal.timeout(trialTimeoutMs) };
}

SwaggerUIBundle({ ...${JSON.stringify(options)}, requestInterceptor: withoutCookies });

const darkTheme = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', darkTheme.matches);
darkTheme.addEventListener('change', followTheme);
followTheme();
`;
