import { Section } from '../../design/section.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Link } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { KeyedCode, type Keys } from './keyed-code.tsx';
import { curl, headersOf, type Place, sdkHead } from './snippets.ts';

const email = 'ada@example.com';
const password = 'correct horse battery 9';
/** A place that links may lead to from the start. */
const redirectUrl = 'http://localhost:3000/';

interface GuideProps {
  readonly place: Place;
  readonly keys: Keys;
}

/** How users of the project sign up and in. Requests carry the anon key, whoever is chosen above. */
export function SignInGuide({ place, keys }: GuideProps) {
  const [way, setWay] = useSearch('by', 'curl');
  const anon = { ...place, caller: 'anon' as const };
  const headers = headersOf('anon');
  const at = (path: string) => `${place.origin}/auth/v1/${path}`;
  const head = sdkHead(anon);
  const steps = [
    {
      title: 'Sign up',
      curl: curl('POST', at('signup'), headers, { email, password }),
      sdk: `${head}\nconsole.log(await client.auth.signup({ email: '${email}', password: '${password}' }));`,
    },
    {
      title: 'Sign in with a password',
      curl: curl('POST', at('token'), headers, { grant_type: 'password', email, password }),
      sdk: `${head}
const session = await client.auth.token({ grantType: 'password', email: '${email}', password: '${password}' });
console.log(session.accessToken);`,
    },
    {
      title: 'Mail a link or a code',
      curl: curl('POST', at('magic-link'), headers, { email, delivery: 'both', redirect_url: redirectUrl }),
      sdk: `${head}\nconsole.log(await client.auth.requestLink({ email: '${email}', delivery: 'both', redirectUrl: '${redirectUrl}' }));`,
    },
    {
      title: 'Act as the user',
      curl: curl('GET', at('user'), headersOf('user')),
      sdk: `${sdkHead({ ...place, caller: 'user' })}\nconsole.log(await client.auth.user());`,
    },
  ];
  return (
    <Section
      title="Sign-in of users"
      about={
        <>
          An access token is good for an hour; send it beside the anon key. The{' '}
          <Link to={`/projects/${place.projectId}/users`}>users page</Link> has the users and the ways in.
        </>
      }
    >
      <Tabs
        label="Ways"
        selected={way === 'sdk' ? 'sdk' : 'curl'}
        select={(id) => setWay(id, { replace: true })}
        pages={(['curl', 'sdk'] as const).map((id) => ({
          id,
          name: id === 'curl' ? 'curl' : 'SDK',
          content: (
            <div className="api-snippets">
              {steps.map((step) => (
                <KeyedCode key={step.title} title={step.title} code={step[id]} keys={keys} />
              ))}
            </div>
          ),
        }))}
      />
    </Section>
  );
}

/** How changes of live tables are followed. */
export function LiveGuide({ place, keys, tables }: GuideProps & { readonly tables: readonly string[] }) {
  if (tables.length === 0)
    return (
      <Section title="Live changes" about="No table of the project is live.">
        <p>
          The <Link to={`/projects/${place.projectId}/access`}>access page</Link> makes an exposed table live. From then
          on its changes are told as they are committed.
        </p>
      </Section>
    );
  const names = tables.slice(0, 20);
  const list = names.map((name) => encodeURIComponent(name)).join(',');
  const url = `${place.origin}/live/v1?project_id=${place.projectId}&tables=${list}`;
  const stream = curl('GET', url, headersOf(place.caller)).replace('curl ', 'curl -N ');
  const sdk = `${sdkHead(place)}
for await (const event of client.live({ project: '${place.projectId}', tables: ${JSON.stringify(names)} })) console.log(event);`;
  return (
    <Section
      title="Live changes"
      about="A hint names the table, what happened and the keys, never a row. Fetch the rows again, as the caller that you are."
    >
      <div className="api-snippets">
        <KeyedCode title="Follow with curl" code={stream} keys={keys} />
        <KeyedCode title="Follow with the SDK" code={sdk} keys={keys} />
      </div>
    </Section>
  );
}
