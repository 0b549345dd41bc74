import { z } from 'zod';
import { invalidField } from '../../core/errors.ts';
import { projectId } from '../../kernel/input/fields.ts';
import { askRows, withProjectKey } from './path-requests.ts';
import { adds, pathTool } from './path-tool.ts';
import type { Tool } from './tool.ts';
import { accessToken, userTools } from './user-tools.ts';

/** What is documented and no operation: rows, and what the users of a project do. Contract 04, sections 4.2.1, 4.2.10. */
export const pathTools: readonly Tool[] = [
  pathTool({
    name: 'rest_query',
    description:
      'Read or write rows of a table of a project, as /rest/v1 does, and /admin/v1/rest with the service key: params are its filters, such as {"select":"*","id":"eq.1"}. Takes the project’s keys, so ask as its owner, or with the key itself.',
    input: z.strictObject({
      project_id: projectId,
      table: z.string().min(1).max(256).describe('Table or view; rpc/NAME calls a function.'),
      method: z
        .enum(['GET', 'POST', 'PATCH', 'DELETE'])
        .default('GET')
        .describe('GET reads, POST adds, PATCH changes and DELETE deletes what params find.'),
      params: z.record(z.string(), z.string()).optional().describe('Parameters of the query, each once.'),
      max_affected: z.int().min(0).optional().describe('PATCH or DELETE of more rows is refused.'),
      body: z.unknown().optional().describe('Rows, or the columns to change, as JSON.'),
      idempotency_key: z
        .string()
        .optional()
        .describe('Names the change: the same call under the same key is done once.'),
      key_type: z
        .enum(['anon', 'service'])
        .default('anon')
        .describe('anon sees what the manifest exposes; service stands above row security.'),
      access_token: accessToken
        .optional()
        .describe('Of verify_magic_link: as that user, with their own rows. Without it as anybody.'),
    }),
    output: z.object({ status: z.int(), body: z.unknown(), content_range: z.string().nullable() }),
    annotations: { ...adds, destructiveHint: true },
    async ask(
      run,
      { project_id: project, table, method, params, max_affected, body, key_type, access_token, ...more },
    ) {
      if (access_token !== undefined && key_type === 'service')
        throw invalidField('access_token', 'does not go with the service key');
      const name = table.startsWith('rpc/') ? `rpc/${encodeURIComponent(table.slice(4))}` : encodeURIComponent(table);
      const ctx = await withProjectKey(run, project, key_type, access_token);
      // Each key has a pathTool of its own.
      const prefix = key_type === 'anon' ? '/rest/v1' : '/admin/v1/rest';
      const { idempotency_key: idempotencyKey } = more;
      const path = `${prefix}/${name}`;
      return askRows(ctx, { method, path, query: params, body, maxAffected: max_affected, idempotencyKey });
    },
  }),
  ...userTools,
];
