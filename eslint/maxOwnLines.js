/**
 * A limit for the own lines of a function. A nested function counts as one line of the outer function, and has the same limit.
 * So a factory may hold as many closures as its file has room for, and each closure still fits a screen. Blank lines and
 * comments do not count.
 * @type {import('eslint').Rule.RuleModule}
 */
export const maxOwnLines = {
  meta: {
    type: 'suggestion',
    schema: [{ type: 'integer', minimum: 1 }],
    messages: { tooLong: 'This function has {{lines}} lines of its own. Allowed are {{maximum}}.' },
  },
  create({ sourceCode, options: [maximum], report }) {
    const functionsAround = [];

    const enter = (node) => {
      functionsAround.at(-1)?.inner.push(node);
      functionsAround.push({ node, inner: [] });
    };

    const leave = () => {
      const { node, inner } = functionsAround.pop();
      const lines = new Set(sourceCode.getTokens(node).map((token) => token.loc.start.line));
      for (const { loc } of inner) {
        for (let line = loc.start.line + 1; line <= loc.end.line; line += 1) {
          lines.delete(line);
        }
      }
      if (lines.size > maximum) {
        report({ node, messageId: 'tooLong', data: { lines: lines.size, maximum } });
      }
    };

    return { ':function': enter, ':function:exit': leave };
  },
};
