import { randomUUID } from 'node:crypto';
import { documentedCalls } from '../helpers/documented.ts';
import type { Service } from '../helpers/service.ts';
import { teamsOf } from '../members/team.ts';

/** An organization with a project and its vault, of which the owner is a writer; and the platform admin’s door to it. */
export function vaultsOf(service: Service) {
  const call = documentedCalls(service);
  const team = teamsOf(service);
  const { admin } = service.actors;
  return async () => {
    const own = await team();
    const door = `/gitvault/v1/admin/${own.orgId}`;
    const project = async (): Promise<string> => {
      const { body } = await service.call<{ project_id: string }>(own.wallet, 'POST', '/projects/v1', {
        body: { org_id: own.orgId },
      });
      return body.project_id;
    };
    const post = (path: string, body: object = {}) => call(admin, 'POST', door + path, { body });
    const enrol = (principal: string, fingerprint: string = randomUUID(), custody_scheme = 'device_keystore') =>
      post(`/members/${principal}/encryption-key`, { fingerprint, custody_scheme });
    const lose = (principal: string) => post(`/members/${principal}/encryption-key/lost`);
    const register = (project_id: string) => post('/vaults', { project_id });
    const onVault = (what: string) => (vault: string, encryption_key_id: string) =>
      post(`/vaults/${vault}/${what}`, { encryption_key_id });
    const admit = onVault('writers');
    /** A member whose key is a writer of the vaults. */
    const writer = async (vaults: readonly string[], role = 'developer') => {
      const member = await own.join(role);
      const key: string = (await enrol(member.principalId)).body.encryption_key_id;
      for (const vault of vaults) await admit(vault, key);
      return { ...member, key };
    };
    const projectId = await project();
    const vault: string = (await register(projectId)).body.vault_id;
    const ownKey: string = (await enrol(own.principalId)).body.encryption_key_id;
    await admit(vault, ownKey);
    return {
      ...own,
      projectId,
      vault,
      ownKey,
      project,
      enrol,
      lose,
      register,
      admit,
      push: onVault('pushes'),
      rotate: onVault('rotations'),
      writer,
    };
  };
}
