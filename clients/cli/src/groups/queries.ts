import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { operationCommand, take } from '../operation-command.ts';
import { rows } from '../operations/queries.ts';

export const group: Group = {
  name: 'queries',
  about: ['svc queries: SQL that a project keeps for all who run SQL in it.'],
  commands: everyCommand(rows, [
    operationCommand('queries list', rows['queries.list'], {
      takes: [take('project')],
      examples: [['What is kept', 'queries list']],
    }),
    operationCommand('queries save', rows['queries.save'], {
      takes: [take('project')],
      examples: [['Keep a query', 'queries save --name "Notes by day" --sql "select count(*) from notes"']],
    }),
    operationCommand('queries delete', rows['queries.delete'], {
      takes: [take('project'), take('query', { name: 'query_id' })],
      examples: [['Keep it no longer', 'queries delete prj_0kz3m 9f2d7c1e-4b0a-4c57-8d11-2f6a1c3b5e70']],
    }),
  ]),
};
