import type { AnyOperation } from '../kernel/run/operation.ts';

/** What a field says of the operation that answers it: in words, and by name for what is made of the schema. */
export const fieldOf = ({ name, summary }: Pick<AnyOperation, 'name' | 'summary'>) => ({
  description: summary,
  extensions: { operation: name },
});
