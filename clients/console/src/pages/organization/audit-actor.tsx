import { Principal } from '../../design/principal.tsx';
import { principalOf, programName } from './audit-words.ts';

/** Who made a change, as the trail noted it. */
export function AuditActor({ actor, copies = false }: { readonly actor: unknown; readonly copies?: boolean }) {
  const principal = principalOf(actor);
  return principal === undefined ? <bdi>{programName(actor)}</bdi> : <Principal who={principal} copies={copies} />;
}
