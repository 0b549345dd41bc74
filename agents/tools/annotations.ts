import type { AnyOperation } from '../../kernel/run/operation.ts';
import type { Annotations } from './tool.ts';

/** What an operation does to the world, as clients of MCP are told. */
export function annotationsOf({ kind, effects = [] }: Pick<AnyOperation, 'kind' | 'effects'>): Annotations {
  const reads = kind === 'query' && !effects.includes('changes');
  return {
    readOnlyHint: reads,
    destructiveHint: effects.includes('destructive'),
    idempotentHint: reads || effects.includes('idempotent'),
    openWorldHint: effects.includes('openWorld'),
  };
}
