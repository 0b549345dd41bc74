/** Deepest value of somebody else's that is written as JSON: writing one goes as deep as it is, and runs out of stack. */
const depthMax = 1_000;

/** Whether a value can be written as JSON, however deep its like may go. */
export const isWritable = (value: unknown, left = depthMax): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (left > 0 && Object.values(value).every((one) => isWritable(one, left - 1)));

/** The shortest text that may be of a value too deep. */
export const deepFrom = 2 * depthMax;
