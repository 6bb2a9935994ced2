import ts from 'typescript';

import { createPassageBuilder, type Passage } from '../passage.js';
import { writtenString } from './strings.js';

type Element = ts.JsxElement | ts.JsxFragment;

/** Elements that begin a separate text. */
const blocks =
  /^(?:address|article|aside|button|caption|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h\d|header|label|legend|li|main|nav|ol|option|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)$/u;
const codeElements = /^(?:code|kbd|pre|samp|script|style)$/u;

/** The texts of an element, with those of elements within a sentence. An element within a sentence has no passages. */
export function elementPassages(file: ts.SourceFile, element: Element): Passage[] {
  if (isInline(file, element) || codeElements.test(nameOf(file, element))) {
    return [];
  }
  const passages: (Passage | null)[] = [];
  let builder = createPassageBuilder();
  const endPassage = (): void => {
    passages.push(builder.build('ui'));
    builder = createPassageBuilder();
  };

  const addChildren = (parent: Element): void => {
    for (const child of parent.children) {
      addChild(child);
    }
  };
  const addChild = (child: ts.JsxChild): void => {
    if (ts.isJsxText(child)) {
      builder.addSpan(file.text, { start: child.pos, end: child.end });
    } else if (ts.isJsxExpression(child)) {
      addExpression(child.expression);
    } else if (blocks.test(nameOf(file, child))) {
      endPassage();
    } else if (!ts.isJsxSelfClosingElement(child) && isInline(file, child)) {
      addChildren(child);
    } else {
      builder.addPlaceholder(child.getStart(file));
    }
  };
  const addExpression = (expression: ts.Expression | undefined): void => {
    if (expression !== undefined) {
      const { text, offsets } = writtenString(file, expression);
      for (const [index, offset] of offsets.entries()) {
        builder.add(text.charAt(index), offset);
      }
    }
  };

  addChildren(element);
  endPassage();
  return passages.filter((passage) => passage !== null);
}

/** An element in the middle of a text. */
function isInline(file: ts.SourceFile, element: Element): boolean {
  const { parent } = element;
  return (
    (ts.isJsxElement(parent) || ts.isJsxFragment(parent)) &&
    parent.children.some((child) => ts.isJsxText(child) && child.text.trim() !== '') &&
    !blocks.test(nameOf(file, element)) &&
    !codeElements.test(nameOf(file, element))
  );
}

function nameOf(
  file: ts.SourceFile,
  element: ts.JsxElement | ts.JsxFragment | ts.JsxSelfClosingElement,
): string {
  if (ts.isJsxFragment(element)) {
    return '';
  }
  const { tagName } = ts.isJsxElement(element) ? element.openingElement : element;
  return tagName.getText(file);
}
