import { cacheableAnswer, type Answer } from '../http/answer.js';
import type { OpenApiDocument } from './openApiTypes.js';

export interface DescriptionHandlers {
  readonly document: () => Promise<Answer>;
}

/**
 * Handlers of what describes the API.
 * @param describe makes the document: once, when it is first asked for
 */
export function createDescriptionHandlers(describe: () => OpenApiDocument): DescriptionHandlers {
  let openApi: Promise<Answer> | null = null;
  return {
    document: () => {
      openApi ??= cacheableAnswer(JSON.stringify(describe()), 'application/json');
      return openApi;
    },
  };
}
