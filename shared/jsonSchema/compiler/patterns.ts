import { RegExpParser, RegExpSyntaxError, type AST } from '@eslint-community/regexpp';

import type { Place } from '../check/place.js';
import { operation, type PatternProgram } from '../program/program.js';
import { rangesOf, type Ranges, createUnicodeProperties } from './characterClasses.js';
import { demand, demandLimit, limits } from './limits.js';

/** The compiler of all patterns of a schema, because the limits are sums. */
export interface PatternCompiler {
  readonly programs: readonly PatternProgram[];
  /** @returns the index of the pattern. Equal patterns have one index. */
  readonly compile: (pattern: string, place: Place) => number;
}

/** The instructions of one pattern as they are created. */
interface Instructions {
  readonly place: Place;
  readonly operations: number[];
  readonly operands: number[];
  readonly classes: Ranges[];
  /** The index of each class by its text. */
  readonly classIndexes: Map<string, number>;
  readonly rangesOfProperty: (property: string) => Ranges;
}

export function createPatternCompiler(): PatternCompiler {
  const programs: PatternProgram[] = [];
  const indexes = new Map<string, number>();
  const properties = createUnicodeProperties();
  const totals = { instructions: 0, ranges: 0 };

  function add(pattern: string, place: Place): number {
    const instructions: Instructions = {
      place,
      operations: [],
      operands: [],
      classes: [],
      classIndexes: new Map(),
      rangesOfProperty: (property) => properties.rangesOf(property, place),
    };
    emitAlternatives(instructions, parse(pattern, place).alternatives);
    emit(instructions, operation.match);
    totals.instructions += instructions.operations.length;
    totals.ranges += instructions.classes.reduce((sum, ranges) => sum + ranges.length / 2, 0);
    demandLimit(
      'instructions in all patterns',
      { value: totals.instructions, limit: limits.allInstructions },
      place,
    );
    demandLimit('ranges in all character classes', { value: totals.ranges, limit: limits.ranges }, place);
    indexes.set(pattern, programs.length);
    programs.push({
      operations: Uint8Array.from(instructions.operations),
      operands: Int32Array.from(instructions.operands),
      classes: instructions.classes.map((ranges) => Int32Array.from(ranges)),
    });
    demandLimit('patterns', { value: programs.length, limit: limits.patterns }, place);
    return programs.length - 1;
  }

  return { programs, compile: (pattern, place) => indexes.get(pattern) ?? add(pattern, place) };
}

/** Parses with the flag `u`, as JSON Schema recommends. The version has no modifiers such as `(?i:…)`. */
function parse(pattern: string, place: Place): AST.Pattern {
  const characters = { value: pattern.length, limit: limits.patternCharacters };
  demandLimit('characters in a pattern', characters, place);
  try {
    return new RegExpParser({ ecmaVersion: 2024, strict: true }).parsePattern(pattern, 0, pattern.length, {
      unicode: true,
    });
  } catch (error) {
    demand(!(error instanceof RegExpSyntaxError), place, 'The pattern is not valid with the flag `u`.');
    throw error;
  }
}

function emit(instructions: Instructions, code: number, first = 0): number {
  const { operations, operands, place } = instructions;
  operands.push(first, 0);
  const value = operations.push(code);
  demandLimit('instructions in a pattern', { value, limit: limits.patternInstructions }, place);
  return value - 1;
}

/** Sets a jump that was emitted before its destination was known. */
function setOperand(instructions: Instructions, instruction: number, operand: 0 | 1): void {
  instructions.operands[2 * instruction + operand] = instructions.operations.length;
}

function emitAlternatives(instructions: Instructions, alternatives: readonly AST.Alternative[]): void {
  const jumps: number[] = [];
  for (const [index, { elements }] of alternatives.entries()) {
    const isLast = index === alternatives.length - 1;
    const split = isLast ? null : emit(instructions, operation.split, instructions.operations.length + 1);
    for (const element of elements) {
      emitElement(instructions, element);
    }
    if (split !== null) {
      jumps.push(emit(instructions, operation.jump));
      setOperand(instructions, split, 1);
    }
  }
  for (const jump of jumps) {
    setOperand(instructions, jump, 0);
  }
}

function emitElement(instructions: Instructions, element: AST.Element): void {
  switch (element.type) {
    case 'Assertion':
      emitAssertion(instructions, element);
      return;
    case 'Character':
      emit(instructions, operation.character, element.value);
      return;
    case 'CharacterClass':
    case 'CharacterSet':
      emitClass(instructions, element);
      return;
    case 'CapturingGroup':
    case 'Group':
      emitAlternatives(instructions, element.alternatives);
      return;
    case 'Quantifier':
      emitQuantifier(instructions, element);
      return;
    default:
      demand(false, instructions.place, 'Patterns must not contain back-references (`\\1`).');
  }
}

function emitAssertion(instructions: Instructions, assertion: AST.Assertion): void {
  switch (assertion.kind) {
    case 'start':
    case 'end':
      emit(instructions, operation[assertion.kind]);
      return;
    case 'word':
      emit(instructions, assertion.negate ? operation.noWordBoundary : operation.wordBoundary);
      return;
    default:
      demand(
        false,
        instructions.place,
        'Patterns must not contain look-around (`(?=`, `(?!`, `(?<=`, `(?<!`).',
      );
  }
}

function emitClass(instructions: Instructions, element: AST.CharacterClass | AST.CharacterSet): void {
  const { classes, classIndexes } = instructions;
  const known = classIndexes.get(element.raw);
  if (known !== undefined) {
    emit(instructions, operation.characterClass, known);
    return;
  }
  const ranges = rangesOf(element, instructions.rangesOfProperty);
  demand(ranges !== null, instructions.place, 'The pattern is not valid with the flag `u`.');
  const index = classes.push(ranges) - 1;
  classIndexes.set(element.raw, index);
  emit(instructions, operation.characterClass, index);
}

/** Counted repetitions become copies: `x{2,3}` is `xxx?`. */
function emitQuantifier(instructions: Instructions, { element, min, max }: AST.Quantifier): void {
  for (let copy = 0; copy < min; copy += 1) {
    const start = instructions.operations.length;
    emitElement(instructions, element);
    if (instructions.operations.length === start) {
      // An element without instructions, such as `()`, has the same effect at any number.
      return;
    }
  }
  if (max === Number.POSITIVE_INFINITY) {
    const split = emit(instructions, operation.split, instructions.operations.length + 1);
    emitElement(instructions, element);
    emit(instructions, operation.jump, split);
    setOperand(instructions, split, 1);
    return;
  }
  const splits: number[] = [];
  for (let copy = min; copy < max; copy += 1) {
    splits.push(emit(instructions, operation.split, instructions.operations.length + 1));
    emitElement(instructions, element);
  }
  for (const split of splits) {
    setOperand(instructions, split, 1);
  }
}
