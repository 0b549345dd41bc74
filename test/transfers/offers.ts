import type { Service } from '../helpers/service.ts';

/** Offers as their rows say. */
export const offersOf = ({ control }: Pick<Service, 'control'>) => {
  /** Ends what is offered of a project. */
  const clear = async (projectId: string): Promise<void> => {
    await control.sql('update projects set transfer_id = null where id = $1', [projectId]);
    await control.sql('delete from project_transfers where project_id = $1', [projectId]);
  };
  /** Offers a project, as its owner would. @returns the id of the transfer */
  const put = async (projectId: string, kind: 'wallet' | 'email', recipient: string): Promise<string> => {
    await clear(projectId);
    const [made] = await control.sql<{ id: string }>(
      `insert into project_transfers (id, org_id, project_id, project_name, recipient_kind, recipient, initiated_by, contents,
         terms_sha256, state, expires_at)
       select gen_random_uuid(), org_id, id, name, $2, $3, creator, $4, repeat('a', 64), 'pending', now() + interval '1 day'
       from projects where id = $1 returning id`,
      [projectId, kind, recipient.toLowerCase(), JSON.stringify(nothing)],
    );
    await control.sql('update projects set transfer_id = $2 where id = $1', [projectId, made!.id]);
    return made!.id;
  };
  return { clear, put };
};

const nothing = {
  custom_domains: [],
  subdomains: [],
  functions: [],
  secret_names: [],
  mailbox_summary: { count: 0, slugs_truncated: [] },
  ci_bindings_to_be_revoked: [],
};
