import { z } from 'zod';
import { type Opened, openFeed } from '../../kernel/feeds/open-feed.ts';
import { cursor } from '../../kernel/input/fields.ts';
import { query } from '../../kernel/run/operation.ts';
import { type DeployEventRow, deployFeed } from './deploy-feed.ts';
import { onOperation, operationId } from './read-operations.ts';

export interface OpenedDeploy extends Opened<DeployEventRow> {
  readonly operationId: string;
  readonly projectId: string;
}

/** What a subscription begins with: the right to follow the deploy, and the position of its cursor. */
export const openDeploy = query({
  name: 'deploys.open',
  command: 'deploy events --watch',
  sdk: 'follow',
  follows: ['deployOperation'],
  summary: 'Begin to follow what happens in a deploy.',
  access: onOperation,
  input: z.object({ operation: operationId, cursor: cursor.optional() }),
  async handler({ services, org, project }, { operation, cursor: after }): Promise<OpenedDeploy> {
    const opened = await openFeed(services, deployFeed(org.id, project.id), after);
    return { ...opened, operationId: operation, projectId: project.id };
  },
  wire: z.object({ reset: z.boolean() }),
  toWire: ({ reset }) => ({ reset }),
});
