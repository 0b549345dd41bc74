import { SearchX } from 'lucide-react';
import { bytes } from '../../design/amounts.ts';
import { Button } from '../../design/button.tsx';
import { CodeBlock, CopyButton } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { State } from '../../design/status.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { Link } from '../../router.tsx';
import { RequestDocument, type RequestQuery } from './logs.graphql.ts';
import { duration, Status } from './request-table.tsx';

type Line = NonNullable<NonNullable<RequestQuery['project']>['requests']>['edges'][number]['node'];

interface RequestDetailsProps {
  readonly projectId: string;
  readonly requestId: string;
  readonly mayReadErrors: boolean;
  readonly close: () => void;
}

/** All that is kept of a request. One id may stand for several: those of one trace. */
export function RequestDetails({ projectId, requestId, mayReadErrors, close }: RequestDetailsProps) {
  const answer = useAsk(RequestDocument, { project: projectId, requestId });
  return (
    <Modal title="Request" isOpen close={close} kind="wide" foot={<Button onPress={close}>Close</Button>}>
      <p className="request-id">
        <code>{requestId}</code>
        <CopyButton what="request id" text={requestId} isIcon />
      </p>
      <Loaded answer={answer}>
        {({ project }) => {
          const lines = (project?.requests?.edges ?? []).map(({ node }) => node);
          return lines.length === 0 ? (
            <State icon={SearchX} title="Not in the log">
              It is of another project, older than seven days, or one of those that a busy project leaves out.
            </State>
          ) : (
            lines.map((line) => (
              <Details key={line.seq} line={line} projectId={projectId} mayReadErrors={mayReadErrors} />
            ))
          );
        }}
      </Loaded>
    </Modal>
  );
}

interface DetailsProps {
  readonly line: Line;
  readonly projectId: string;
  readonly mayReadErrors: boolean;
}

function Details({ line, projectId, mayReadErrors }: DetailsProps) {
  const { at, method, route, path, status, durationMs, code, caller, bytes: size } = line;
  const curl = curlOf(line);
  return (
    <div className="request-details">
      <Facts
        facts={[
          ['Time', <When key="at" at={at} exact />],
          ['Status', <Status key="status" status={status} />],
          ['Code', code === null ? undefined : <code key="code">{code}</code>],
          ['Method', <code key="method">{method}</code>],
          ['Path', <code key="path">{path}</code>],
          ['Route', <code key="route">{route}</code>],
          ['Caller', caller ?? 'not let in'],
          ['Took', duration(durationMs)],
          ['Answer', size === null ? undefined : bytes(size)],
        ]}
      />
      {curl !== undefined && <CodeBlock title="Send it again" code={curl} />}
      <p className="request-links">
        <Link to={`/projects/${projectId}/logs?path=${encodeURIComponent(path)}`}>Requests of this path</Link>
        {mayReadErrors && status >= 500 && <Link to={`/projects/${projectId}/errors`}>Errors of functions</Link>}
      </p>
    </div>
  );
}

/** Paths that the gateway answers under its own name. Those of a project’s host are asked for there. */
const ofGateway = /^\/(rest|admin|auth|live|projects)\/v1\b/;

/** The request as a command, with a variable in place of its key; undefined where the log does not say where it was sent. */
function curlOf({ method, path, caller }: Line): string | undefined {
  if (method === 'WS' || !ofGateway.test(path) || path.includes('[hidden]')) return undefined;
  const key =
    caller === 'service' ? 'apikey: $SVC_SERVICE_KEY' : caller === 'member' ? undefined : 'apikey: $SVC_ANON_KEY';
  const header = key === undefined ? '' : ` \\\n  -H "${key}"`;
  return `curl -X ${method} '${location.origin}${path.replaceAll("'", '%27')}'${header}`;
}
