import type { Part } from './exchange.ts';
import { commandsPart } from './parts/commands.ts';
import { graphqlPart } from './parts/graphql.ts';
import { mcpPart } from './parts/mcp.ts';
import { pagesPart } from './parts/pages.ts';
import { restPart } from './parts/rest.ts';
import { subscriptionsPart } from './parts/subscriptions.ts';

/** The surfaces, in the order in which they are asked. */
export const parts = {
  rest: restPart,
  graphql: graphqlPart,
  mcp: mcpPart,
  pages: pagesPart,
  subscriptions: subscriptionsPart,
  commands: commandsPart,
} as const satisfies Record<string, Part>;
