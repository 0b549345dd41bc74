import { Principal } from '../../design/principal.tsx';
import { usePeople } from '../use-people.ts';
import { authorityOf, type DeployProject, type DeploySummary, principalOf } from './deploy-types.ts';

interface DeployActorProps {
  readonly project: DeployProject;
  readonly deploy: Pick<DeploySummary, 'actor'>;
}

/** Who began a deploy. A member without a name is known by the wallet, as on the page of members. */
export function DeployActor({ project, deploy }: DeployActorProps) {
  const people = usePeople(project.organization?.orgId);
  const noted = principalOf(deploy);
  if (noted === undefined) return <bdi>{authorityOf(deploy) ?? <span className="quiet">–</span>}</bdi>;
  return <Principal who={noted.displayName == null ? people(noted.principalId) : noted} />;
}
