/** Deepest foreign value that is written as JSON: writing recurses as deep as the value, and may run out of stack. */
const depthMax = 1_000;

/** Whether a value can be written as JSON, however deep its like may go. */
export const isWritable = (value: unknown, left = depthMax): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (left > 0 && Object.values(value).every((one) => isWritable(one, left - 1)));

/** The shortest text that may be of a value too deep. */
export const deepFrom = 2 * depthMax;
