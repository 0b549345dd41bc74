import { useState } from 'react';
import { Badge, type Mood } from '../../design/badge.tsx';
import { Facts } from '../../design/facts.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { Section } from '../../design/section.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { DiagnosisDocument, type DiagnosisQuery } from './site.graphql.ts';
import { cacheName } from './site-types.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((id) => ({ id, name: id }));

/** Why an address answers as it does, by what the request was found to ask for. */
const reasons: Readonly<Record<string, string>> = {
  static_exact: 'The file at this path answers.',
  static_index: 'The index page of this folder answers.',
  spa_fallback: 'No file is at this path, so the index page of the site answers.',
  spa_fallback_missing: 'No file is at this path, and the site has no page that answers in its place.',
  route_static_alias: 'A route leads to a file.',
  route_function: 'A route leads to a function.',
  route_method_miss: 'A route is for this path, and not for this method.',
  path_error: 'The path is spelled in a way that no site answers.',
  active_release_missing: 'The project has no live release.',
  host_missing: 'No project that you may see is served under this host.',
  none: 'Nothing of the site is at this path.',
};

/** What an address is asked for; undefined for a text that is none. */
function targetOf(text: string, address: string) {
  const typed = text.trim();
  if (typed === '') return undefined;
  // A path alone is one of this site. A name without a scheme is a host.
  const full = typed.startsWith('/') ? `${address}${typed}` : /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(full)) return undefined;
  const { hostname, pathname } = new URL(full);
  return { host: hostname, path: pathname };
}

/** Says what an address answers, and why. The address of the page holds the question. */
export function Diagnosis({ address }: { readonly address: string }) {
  const [url, setUrl] = useSearch('url', '');
  const [method, setMethod] = useSearch('method', 'GET');
  const [typed, setTyped] = useState(url);
  const [isWrong, setWrong] = useState(false);
  const target = targetOf(url, address);
  const answer = useAsk(DiagnosisDocument, target === undefined ? undefined : { ...target, method });
  return (
    <Section title="Why does an address answer this?" about="The gateway looks it up without sending a request.">
      <div className="site-diagnose">
        <Form
          label="Address"
          submit="Diagnose"
          variant="secondary"
          send={async () => {
            const isAddress = targetOf(typed, address) !== undefined;
            setWrong(!isAddress);
            if (isAddress) {
              setUrl(typed.trim());
              if (typed.trim() === url) answer.again();
            }
            return false;
          }}
        >
          <div className="site-question">
            <Select label="Method" options={methods} value={method} onChange={setMethod} />
            <TextField
              label="Address or path"
              value={typed}
              onChange={(text) => {
                setTyped(text);
                setWrong(false);
              }}
              fault={isWrong ? 'This is no address.' : undefined}
              isRequired
              inputMode="url"
              autoComplete="off"
              spellCheck="false"
              placeholder="/about"
            />
          </div>
        </Form>
      </div>
      {target !== undefined && (
        <Loaded answer={answer}>{({ hostResolution: found }) => found !== null && <Found found={found} />}</Loaded>
      )}
    </Section>
  );
}

interface Diagnosed {
  readonly normalized_path: string | null;
  readonly route_pattern: string | null;
  readonly target_name: string | null;
  readonly content_type: string | null;
  readonly cache_class: string | null;
  readonly error_code: string | null;
  readonly channel: string | null;
  readonly allow: readonly string[] | null;
  readonly cas_object: { readonly exists: boolean } | null;
}

const moodOf = (status: number): Mood => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good');

function Found({ found }: { readonly found: NonNullable<DiagnosisQuery['hostResolution']> }) {
  const { hostname, match, result, releaseId, assetPath } = found;
  const told = found.diagnosis as unknown as Diagnosed;
  return (
    <div className="site-answer">
      <Note mood={result >= 400 ? 'warn' : 'good'} title={reasons[match] ?? match.replaceAll('_', ' ')}>
        {told.cas_object?.exists === false && <p>The bytes of the file are not in the store.</p>}
      </Note>
      <Facts
        facts={[
          [
            'Status',
            <Badge key="status" mood={moodOf(result)}>
              {result}
            </Badge>,
          ],
          ['Code', told.error_code === null ? undefined : <code key="code">{told.error_code}</code>],
          ['Host', <code key="host">{hostname}</code>],
          ['Path', told.normalized_path === null ? undefined : <code key="path">{told.normalized_path}</code>],
          ['Route', told.route_pattern === null ? undefined : <code key="route">{told.route_pattern}</code>],
          ['Function', told.target_name === null ? undefined : <code key="function">{told.target_name}</code>],
          ['Allowed', told.allow === null ? undefined : told.allow.join(', ')],
          ['File', assetPath === null ? undefined : <code key="file">{assetPath}</code>],
          ['Type', told.content_type],
          ['Browsers', told.cache_class === null ? undefined : cacheName(told.cache_class)],
          ['Release', releaseId === null ? undefined : <code key="release">{releaseId}</code>],
          ['Shows', told.channel === 'preview' ? 'one deployment, whatever is live' : undefined],
        ]}
      />
    </div>
  );
}
