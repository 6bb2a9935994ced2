import { errorCodes } from '../../api/errorCodes.js';

const introduction = `# Error codes

Every error is \`{"error": {"type", "code", "message", "param", "requestId"}}\`. Programs go by the \`code\`: codes are public and only ever
added. \`message\` is for people and may change; \`param\` is null or names the field or parameter at fault. Name the \`requestId\` where you
ask for help.
`;

/** The text of docs/errors.md: what each error code means, and what to do about it. */
export function errorsPage(): string {
  const sections = Object.entries(errorCodes).map(
    ([code, { status, type, retryable, meaning, remedy }]) =>
      `## ${code}\n\n${status} \`${type}\`, ${retryable ? 'may be tried again as it is' : 'not to be tried again as it is'}.\n\n${meaning}\n\n${remedy}\n`,
  );
  return [introduction, ...sections].join('\n');
}
