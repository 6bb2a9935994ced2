import type { KeywordName } from '../program/keywords.js';

/** The stable code of a failure: the name of the keyword. */
export type CheckCode = KeywordName;

const messages: Readonly<Record<CheckCode, string>> = {
  never: 'The schema allows no value here.',
  type: 'The value has a type that the schema does not allow here.',
  enum: 'The value is none of the allowed values (`enum`).',
  const: 'The value differs from the only allowed value (`const`).',
  minimum: 'The number is less than `minimum`.',
  maximum: 'The number is greater than `maximum`.',
  exclusiveMinimum: 'The number is not greater than `exclusiveMinimum`.',
  exclusiveMaximum: 'The number is not less than `exclusiveMaximum`.',
  multipleOf: 'The number is no multiple of `multipleOf`.',
  minLength: 'The text has fewer characters than `minLength`.',
  maxLength: 'The text has more characters than `maxLength`.',
  minItems: 'The list has fewer items than `minItems`.',
  maxItems: 'The list has more items than `maxItems`.',
  minProperties: 'The object has fewer members than `minProperties`.',
  maxProperties: 'The object has more members than `maxProperties`.',
  pattern: 'The text does not match `pattern`.',
  uniqueItems: 'The list contains a value twice (`uniqueItems`).',
  required: 'The member is missing (`required`).',
  dependentRequired: 'The member is missing, and another member requires it (`dependentRequired`).',
  properties: 'The schema does not allow this member (`properties`).',
  patternProperties: 'The schema does not allow a member of this name (`patternProperties`).',
  additionalProperties: 'The schema does not name this member (`additionalProperties`).',
  propertyNames: 'The name of the member is not allowed (`propertyNames`).',
  prefixItems: 'The schema does not allow this item (`prefixItems`).',
  items: 'The schema does not allow this item (`items`).',
  contains: 'Too few or too many items match `contains`.',
  reference: 'The value does not match the referenced schema (`$ref`).',
  allOf: 'The value does not match each schema of `allOf`.',
  anyOf: 'The value matches no schema of `anyOf`.',
  oneOf: 'The value must match exactly one schema of `oneOf`.',
  not: 'The value matches the schema that `not` excludes.',
  if: 'The value does not match the schema that `if` selects.',
  dependentSchemas: 'The value does not match the schema that a member requires (`dependentSchemas`).',
  unevaluatedItems: 'The schema does not describe this item (`unevaluatedItems`).',
  unevaluatedProperties: 'The schema does not describe this member (`unevaluatedProperties`).',
};

/**
 * The message for the code of an invalid result, without a value of the data or of the schema. A code of a later
 * version gets a general message.
 */
export function checkMessage(code: string): string {
  return isCheckCode(code) ? messages[code] : 'The value does not match the schema.';
}

function isCheckCode(code: string): code is CheckCode {
  return Object.hasOwn(messages, code);
}
