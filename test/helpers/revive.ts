import type { Service } from './service.ts';

/** Puts back the row of a project that a walk over every path has deleted; its database stays away. */
export const revive = ({ control }: Pick<Service, 'control'>, projectId: string): Promise<unknown> =>
  control.sql(`update projects set state = 'ready', deleted_at = null where id = $1 and deleted_at is not null`, [
    projectId,
  ]);
