import { operation, type PatternProgram } from '../program/program.js';
import { spend, stepsOfText, type Budget } from './budget.js';

/** The instructions that consume a character at one position of a text. */
interface ActiveInstructions {
  readonly list: Int32Array;
  length: number;
}

/** A text at a position between two characters. */
interface Position {
  readonly text: string;
  at: number;
}

interface Simulation {
  readonly program: PatternProgram;
  readonly budget: Budget;
  readonly position: Position;
  /** The position, plus one, at which each instruction was added last. So each is added once at a position. */
  readonly addedAt: Int32Array;
  /** The instructions that are still to be added. */
  readonly pending: number[];
}

/**
 * Whether a pattern matches anywhere in a text, like `RegExp` with the flag `u`. The automaton is simulated with lists
 * of active instructions (Pike), so the time is linear in the text. Each active instruction costs a step at each
 * character, and a class costs the binary logarithm of its ranges.
 */
export function matchPattern(program: PatternProgram, text: string, budget: Budget): boolean {
  const size = program.operations.length;
  spend(budget, stepsOfText(size));
  const position: Position = { text, at: 0 };
  const simulation = { program, budget, position, addedAt: new Int32Array(size), pending: [] };
  let active: ActiveInstructions = { list: new Int32Array(size), length: 0 };
  let next: ActiveInstructions = { list: new Int32Array(size), length: 0 };
  for (;;) {
    // A match may begin at each position.
    if (add(simulation, active, 0)) {
      return true;
    }
    if (position.at >= text.length) {
      return false;
    }
    const character = text.codePointAt(position.at) ?? 0;
    position.at += character > 0xffff ? 2 : 1;
    next.length = 0;
    if (advance(simulation, { active, next }, character)) {
      return true;
    }
    [active, next] = [next, active];
  }
}

/** Consumes a character. @returns whether the pattern matches */
function advance(
  simulation: Simulation,
  { active, next }: { readonly active: ActiveInstructions; readonly next: ActiveInstructions },
  character: number,
): boolean {
  for (let index = 0; index < active.length; index += 1) {
    const instruction = active.list[index] ?? 0;
    if (consumes(simulation, instruction, character) && add(simulation, next, instruction + 1)) {
      return true;
    }
  }
  return false;
}

function consumes({ program, budget }: Simulation, instruction: number, character: number): boolean {
  const operand = program.operands[2 * instruction] ?? 0;
  if (program.operations[instruction] === operation.character) {
    spend(budget, 1);
    return operand === character;
  }
  const ranges = program.classes[operand] ?? new Int32Array();
  spend(budget, 32 - Math.clz32(ranges.length));
  return isInRanges(ranges, character);
}

/** Binary search for the last range that begins at or before the character. */
function isInRanges(ranges: Int32Array, character: number): boolean {
  let low = 0;
  let high = ranges.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[2 * middle] ?? 0) <= character) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && character <= (ranges[2 * low - 1] ?? -1);
}

/** Adds an instruction and those that it leads to without a character. @returns whether the pattern matches */
function add(simulation: Simulation, active: ActiveInstructions, first: number): boolean {
  const { program, budget, position, addedAt, pending } = simulation;
  pending.push(first);
  for (let instruction = pending.pop(); instruction !== undefined; instruction = pending.pop()) {
    spend(budget, 1);
    if (addedAt[instruction] === position.at + 1) {
      continue;
    }
    addedAt[instruction] = position.at + 1;
    if (program.operations[instruction] === operation.match) {
      return true;
    }
    if (!follow(simulation, instruction)) {
      active.list[active.length] = instruction;
      active.length += 1;
    }
  }
  return false;
}

/** Follows an instruction that consumes no character. @returns false for one that consumes a character */
function follow({ program, position, pending }: Simulation, instruction: number): boolean {
  const first = program.operands[2 * instruction] ?? 0;
  switch (program.operations[instruction]) {
    case operation.split:
      pending.push(program.operands[2 * instruction + 1] ?? 0, first);
      return true;
    case operation.jump:
      pending.push(first);
      return true;
    case operation.start:
      return followIf(pending, instruction, position.at === 0);
    case operation.end:
      return followIf(pending, instruction, position.at === position.text.length);
    case operation.wordBoundary:
      return followIf(pending, instruction, isWordBoundary(position));
    case operation.noWordBoundary:
      return followIf(pending, instruction, !isWordBoundary(position));
    default:
      return false;
  }
}

function followIf(pending: number[], instruction: number, holds: boolean): true {
  if (holds) {
    pending.push(instruction + 1);
  }
  return true;
}

function isWordBoundary({ text, at }: Position): boolean {
  return isWordCharacter(text.charCodeAt(at - 1)) !== isWordCharacter(text.charCodeAt(at));
}

/** A letter of ASCII, a digit or `_`. */
function isWordCharacter(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  return isLetter || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}
