type Fields = Readonly<Record<string, unknown>>;

/** Whether a document is found by a filter of MongoDB, for the operators that delivery uses. */
export function matches(document: object, filter: Fields): boolean {
  return Object.entries(filter).every(([name, condition]) => {
    switch (name) {
      case '$or':
        return filtersIn(condition).some((one) => matches(document, one));
      case '$and':
        return filtersIn(condition).every((one) => matches(document, one));
      default:
        return isMet(valueAt(document, name), condition);
    }
  });
}

/** The value at a path such as `entry.offset`. */
function valueAt(document: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isFields(value) ? Reflect.get(value, name) : undefined), document);
}

function isMet(value: unknown, condition: unknown): boolean {
  return isFields(condition) && Object.keys(condition).some((name) => name.startsWith('$'))
    ? Object.entries(condition).every(([operator, operand]) => compare(value, operator, operand))
    : value === condition;
}

function compare(value: unknown, operator: string, operand: unknown): boolean {
  switch (operator) {
    case '$ne':
      return value !== operand;
    case '$in':
      return Array.isArray(operand) && operand.includes(value);
    case '$nin':
      return Array.isArray(operand) && !operand.includes(value);
    case '$exists':
      return (value !== undefined) === operand;
    case '$regex':
      return typeof value === 'string' && typeof operand === 'string' && new RegExp(operand, 'u').test(value);
    case '$gt':
      return typeof value === 'number' && typeof operand === 'number' && value > operand;
    default:
      throw new Error(`the simulated MongoDB has no operator ${operator}: add it`);
  }
}

function filtersIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
