import { STATUS_CODES } from 'node:http';

import { aboutDeliveryErrors, deliveryErrors } from '../http/deliveryErrors.js';
import { aboutErrors, allErrorCodes, errorCodes, type ErrorCode } from '../http/errorCodes.js';
import { html, textWithCode } from './html.js';
import { pageText } from './pageText.js';

export function errorsPage(): string {
  return pageText({
    title: 'Errors · Postrider API',
    content: html`<main class="text">
      <h1>Errors</h1>
      ${aboutErrors.map((paragraph) => html`<p>${textWithCode(paragraph)}</p>`)}
      <dl>
        ${allErrorCodes.map(
          (code) =>
            html`<dt>
                <a href="/docs/errors/${code}"><code>${code}</code></a> ${errorCodes[code].status}${
                  errorCodes[code].retryable ? ', retryable' : ''
                }
              </dt>
              <dd>${textWithCode(errorCodes[code].meaning)}</dd> `,
        )}
      </dl>
      <h2>Errors of deliveries</h2>
      <p>${textWithCode(aboutDeliveryErrors)}</p>
      <dl>
        ${Object.entries(deliveryErrors).map(
          ([code, meaning]) =>
            html`<dt><code>${code}</code></dt>
              <dd>${textWithCode(meaning)}</dd> `,
        )}
      </dl>
    </main>`,
  });
}

export function errorPage(code: ErrorCode): string {
  const { status, type, retryable, meaning, remedy } = errorCodes[code];
  const advice = retryable ? 'Yes. The same request may succeed later.' : 'No. The same request fails again.';
  return pageText({
    title: `${code} · Postrider API`,
    content: html`<main class="text">
      <h1><code>${code}</code></h1>
      <p>${textWithCode(meaning)}</p>
      <h2>What to do</h2>
      <p>${textWithCode(remedy)}</p>
      <h2>Properties</h2>
      <dl>
        <dt>Status</dt>
        <dd>${status} ${STATUS_CODES[status] ?? ''}</dd>
        <dt>Type</dt>
        <dd><code>${type}</code></dd>
        <dt>Retryable</dt>
        <dd>${advice}</dd>
      </dl>
    </main>`,
  });
}
