import type { Keyword } from '../program/keywords.js';
import type { ProgramNode } from '../program/program.js';
import { limits } from './limits.js';

/** A node from which the keywords lead back to the same node with the same value, or to too many evaluations. */
export interface InPlaceFault {
  readonly node: number;
  readonly message: string;
}

const isBeingCounted = -1;

/**
 * Counts the evaluations that each subschema causes on the same value: the paths through `$ref`, `allOf`, `anyOf` and
 * similar keywords.
 * @returns the first node that exceeds the limit or is part of a cycle, or null
 */
export function findInPlaceFault(nodes: readonly ProgramNode[]): InPlaceFault | null {
  const counts = new Map<number, number>();

  function countOf(node: number, depth: number): number | InPlaceFault {
    const known = counts.get(node);
    if (known === isBeingCounted) {
      return { node, message: 'The schema applies itself to the same value without end.' };
    }
    if (known !== undefined) {
      return known;
    }
    counts.set(node, isBeingCounted);
    let total = 1;
    for (const child of inPlaceNodes(nodes[node])) {
      const count = depth < limits.inPlaceEvaluations ? countOf(child, depth + 1) : Number.POSITIVE_INFINITY;
      if (typeof count === 'object') {
        return count;
      }
      total += count;
      if (total > limits.inPlaceEvaluations) {
        return { node, message: tooMany };
      }
    }
    counts.set(node, total);
    return total;
  }

  for (const node of nodes.keys()) {
    const count = countOf(node, 0);
    if (typeof count === 'object') {
      return count;
    }
  }
  return null;
}

const tooMany =
  'The schema evaluates one value too often through `$ref`, `allOf`, `anyOf` and similar keywords. ' +
  `The limit is ${limits.inPlaceEvaluations}.`;

function inPlaceNodes(node: ProgramNode | undefined): readonly number[] {
  return (node?.keywords ?? []).flatMap(nodesOfKeyword);
}

function nodesOfKeyword(keyword: Keyword): readonly number[] {
  switch (keyword.keyword) {
    case 'reference':
    case 'not':
      return [keyword.node];
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
      return keyword.nodes;
    case 'if':
      return [keyword.node, keyword.then, keyword.else].filter((node) => node !== null);
    case 'dependentSchemas':
      return keyword.nodes.map(([, node]) => node);
    default:
      return [];
  }
}
