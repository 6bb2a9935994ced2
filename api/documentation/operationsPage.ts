import { operationErrors } from '../openapi/operationErrors.js';
import type { OpenApiDocument } from '../openapi/openApiTypes.js';
import { pathTemplate } from '../openapi/operation.js';
import type { Route } from '../http/route.js';
import { paragraphsOf } from './commonMark.js';
import { html, type Html } from './html.js';
import { deliverySection, operationSection, type DocumentedOperation } from './operationSection.js';
import { codeBlock, pageText } from './page.js';
import { componentSections } from './schemas.js';

interface Group {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly operations: readonly DocumentedOperation[];
}

/** The page of all operations. */
export function operationsPage(routes: readonly Route[], document: OpenApiDocument): string {
  const documented = routes.flatMap((route) => documentedOperations(route, document));
  const groups = document.tags.map(({ name, description }) => ({
    id: name.toLowerCase().replaceAll(' ', '-'),
    name,
    description,
    operations: documented.filter(({ operation }) => operation.tags.includes(name)),
  }));
  return pageText({
    title: `${document.info.title} API`,
    navigation: navigationOf(groups),
    content: html`<h1>${document.info.title} API</h1>
      ${paragraphsOf(document.info.description)}
      <p>The examples take the address of the service, a key and an id from the shell:</p>
      ${codeBlock('Variables of the examples', 'export POSTRIDER_URL=… POSTRIDER_API_KEY=sk_live_… ID=…')}
      ${groups.map(groupSection)} ${deliveries(document)}
      <section id="objects">
        <h2><a href="#objects">Objects</a></h2>
        ${componentSections(document)}
      </section>`,
  });
}

function documentedOperations(route: Route, document: OpenApiDocument): readonly DocumentedOperation[] {
  const path = pathTemplate(route.path);
  const operation = document.paths[path]?.[route.method.toLowerCase()];
  const errors = [...operationErrors(route).values()].flat();
  return operation === undefined ? [] : [{ method: route.method, path, operation, errors }];
}

function navigationOf(groups: readonly Group[]): Html {
  return html`<ul>
    ${groups.map(
      ({ id, name, operations }) =>
        html`<li>
          <a href="#${id}">${name}</a>
          <ul>
            ${operations.map(
              ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li> `,
            )}
          </ul>
        </li>`,
    )}
    <li><a href="#deliveries">Deliveries</a></li>
    <li><a href="#objects">Objects</a></li>
  </ul>`;
}

function groupSection({ id, name, description, operations }: Group): Html {
  return html`<section id="${id}">
    <h2><a href="#${id}">${name}</a></h2>
    ${paragraphsOf(description)} ${operations.map(operationSection)}
  </section>`;
}

function deliveries({ webhooks }: OpenApiDocument): Html {
  const operations = Object.values(webhooks).flatMap((item) => Object.values(item));
  return html`<section id="deliveries">
    <h2><a href="#deliveries">Deliveries</a></h2>
    ${operations.map(deliverySection)}
  </section>`;
}
