import { randomUUID } from 'node:crypto';
import { operations } from '../../resolvers/index.ts';
import { routes } from '../../rest-compat/routes.ts';
import type { Service } from '../helpers/service.ts';
import type { Change, Changes } from './change.ts';
import { type CallerName, callers, type stageSurfaces } from './surface-stage.ts';

/** Whether a request without a key is refused. */
const needsKey = (name: string): boolean =>
  operations.some((op) => op.name === name && 'idempotency' in op && op.idempotency === 'required');

type Stage = Awaited<ReturnType<typeof stageSurfaces>>;

/** The changes of the rows that say what the audit log has of them. Their cells say who may do them. */
export function rowChanges(service: Service, { surfaces, params }: Pick<Stage, 'surfaces' | 'params'>): Changes {
  const rows = Object.entries(surfaces).flatMap(([name, row]) => {
    if (row.audited === undefined) return [];
    const route = routes.find(({ method, path }) => `${method} ${path}` === name)!;
    const { objectId, ...written } = row.audited;
    // Rows share their parameters. Each change keeps those that it made.
    let own: Record<string, string> | undefined;
    const change: Change = {
      operation: route.operation,
      ...written,
      objectId: (body) =>
        objectId.split('.').reduce<unknown>((found, name) => (found as Record<string, unknown>)[name], body) as string,
      async prepare() {
        own = await row.prepare?.();
        Object.assign(params, own);
      },
      send(actor) {
        Object.assign(params, own);
        const path = route.path.replaceAll(/:(\w+)/g, (_all, param: string) => params[param]!) + (row.search?.() ?? '');
        const headers = needsKey(route.operation) ? { 'idempotency-key': randomUUID() } : {};
        return service.call<Record<string, string>>(actor, route.method, path, { body: row.body?.() ?? {}, headers });
      },
    };
    const cells = row.cells.split(' ');
    return [{ change, may: (caller: CallerName) => cells[callers.indexOf(caller)] === '+' }];
  });
  const operationsOf = (which: (may: (caller: CallerName) => boolean) => boolean) =>
    rows.filter(({ may }) => which(may)).map(({ change }) => change.operation);
  return {
    changes: rows.map(({ change }) => change),
    adminOnly: operationsOf((may) => may('admin') && !may('wallet')),
    keyOnly: operationsOf((may) => may('service_key') && !may('wallet')),
    withServiceKey: operationsOf((may) => may('service_key')),
    byLink: operationsOf((may) => may('nobody')),
  };
}
