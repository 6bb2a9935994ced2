import type { Mutation } from './mutation.js';

/** Ways to break the pages that describe the API. */
export const documentationMutations: readonly Mutation[] = [
  {
    name: 'text becomes markup of a page',
    file: 'api/documentation/html.ts',
    find: 'return escapeText(String(content));',
    replace: 'return String(content);',
    test: 'test/api/documentation/html.test.ts',
    grep: 'escapes text',
  },
  {
    name: 'a tag in a description becomes markup of a page',
    file: 'api/documentation/commonMark.ts',
    find: 'html: ({ text }) => escapeText(text),',
    replace: '',
    test: 'test/api/documentation/commonMark.test.ts',
    grep: 'shows as text',
  },
  {
    name: 'a page comes without its policy',
    file: 'api/documentation/handlers.ts',
    find: 'cacheableAnswer(make(), contentType, pageHeaders)',
    replace: 'cacheableAnswer(make(), contentType)',
    test: 'test/api/documentation/handlers.test.ts',
    grep: 'take nothing from elsewhere',
  },
  {
    name: 'an error does not lead to its page',
    file: 'api/http/answer.ts',
    find: "context.set('Link', helpLink(refusal));",
    replace: '',
    test: 'test/api/documentation/handlers.test.ts',
    grep: 'is where the error of',
  },
];
