/** The work that a check may do. Checks that share a budget have it together. */
export interface Budget {
  /** The steps that remain. Negative: exhausted. */
  steps: number;
  /** The nested evaluations that remain. The stack limits them: at least 900 fit into the main thread. */
  depth: number;
}

/** Ends a check whose budget is exhausted. */
export class BudgetExhaustedError extends Error {
  override readonly name = 'BudgetExhaustedError';
}

/** @param steps A step takes about 20 ns. */
export function createBudget(steps: number, depth: number): Budget {
  return { steps, depth };
}

/**
 * Takes steps from a budget. Callers do this before the operation that the steps pay for.
 * @throws BudgetExhaustedError
 */
export function spend(budget: Budget, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) {
    throw new BudgetExhaustedError('steps');
  }
}

/**
 * Takes a level of nesting. `leave` returns it.
 * @throws BudgetExhaustedError
 */
export function enter(budget: Budget): void {
  budget.depth -= 1;
  if (budget.depth < 0) {
    throw new BudgetExhaustedError('depth');
  }
}

export function leave(budget: Budget): void {
  budget.depth += 1;
}

/** The steps for an operation on a text: one for each 4 characters. */
export function stepsOfText(length: number): number {
  return 1 + (length >> 2);
}
