import { STATUS_CODES } from 'node:http';

import { errorCodes, type ErrorCode } from '../http/errorCodes.js';
import { lineOf } from './commonMark.js';
import { html, type Html } from './html.js';
import { pageText } from './page.js';

const codes = Object.keys(errorCodes) as ErrorCode[];

/** The page of all error codes. */
export function errorsPage(): string {
  return pageText({
    title: 'Errors · Postrider API',
    navigation: navigation(),
    content: html`<h1>Errors</h1>
      <p>
        Programs should use the <code>code</code>. A published code is never removed. If you ask for help,
        include the <code>requestId</code>. Repeat a request only if its code is retryable.
      </p>
      <dl>
        ${codes.map(
          (code) =>
            html`<dt>
                <a href="/docs/errors/${code}"><code>${code}</code></a> ${errorCodes[code].status}${
                  errorCodes[code].retryable ? ', retryable' : ''
                }
              </dt>
              <dd>${lineOf(errorCodes[code].meaning)}</dd> `,
        )}
      </dl>`,
  });
}

/** The page of one error code. */
export function errorPage(code: ErrorCode): string {
  const { status, type, retryable, meaning, remedy } = errorCodes[code];
  return pageText({
    title: `${code} · Postrider API`,
    navigation: navigation(),
    content: html`<h1><code>${code}</code></h1>
      <p>${lineOf(meaning)}</p>
      <h2>What to do</h2>
      <p>${lineOf(remedy)}</p>
      <h2>What it is</h2>
      <dl>
        <dt>Status</dt>
        <dd>${status} ${STATUS_CODES[status] ?? ''}</dd>
        <dt>Type</dt>
        <dd><code>${type}</code></dd>
        <dt>Retryable</dt>
        <dd>${retryable ? 'Yes. The same request may be repeated.' : 'No. The same request fails again.'}</dd>
      </dl>`,
  });
}

const navigation = (): Html =>
  html`<ul>
    <li><a href="/docs">Operations</a></li>
    <li>
      <a href="/docs/errors">Errors</a>
      <ul>
        ${codes.map((code) => html`<li><a href="/docs/errors/${code}">${code}</a></li> `)}
      </ul>
    </li>
  </ul>`;
