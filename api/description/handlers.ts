import { createHash } from 'node:crypto';

import type { Answer } from '../answer.js';
import type { OpenApiDocument } from './openApi.js';

export interface DescriptionHandlers {
  readonly document: () => Promise<Answer>;
}

/**
 * Handlers of what describes the API.
 * @param describe makes the document: once, when it is first asked for
 */
export function createDescriptionHandlers(describe: () => OpenApiDocument): DescriptionHandlers {
  let openApi: Answer | null = null;
  return {
    document: () => {
      openApi ??= cacheable(JSON.stringify(describe()), 'application/json');
      return Promise.resolve(openApi);
    },
  };
}

const maximumAgeSeconds = 300;

function cacheable(content: string, contentType: string): Answer {
  const hash = createHash('sha256').update(content).digest('base64url');
  return {
    content,
    contentType,
    headers: { ETag: `"${hash}"`, 'Cache-Control': `public, max-age=${maximumAgeSeconds}` },
  };
}
