/** The same work, done at most so many times at once; whoever comes first is first. */
export function limited<Argument, Result>(
  maximum: number,
  work: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let underWay = 0;

  const takeTurn = async () => {
    if (underWay < maximum) {
      underWay += 1;
      return;
    }
    // Whoever leaves passes its turn on.
    await new Promise<void>((resolve) => waiting.push(resolve));
  };

  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) {
      underWay -= 1;
    } else {
      next();
    }
  };

  return async (argument) => {
    await takeTurn();
    try {
      return await work(argument);
    } finally {
      leave();
    }
  };
}
