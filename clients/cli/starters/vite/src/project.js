/** Which project the page is of: the host that serves it says so. */
const config = fetch('/_svc/config.json').then((answer) => answer.json());

let token;

/** Asks the project, as whoever is signed in. @throws Error with the gateway's own words */
export async function ask(method, path, body) {
  const { api_base, anon_key } = await config;
  const answer = await fetch(api_base + path, {
    method,
    headers: {
      apikey: anon_key,
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  const said = text === '' ? undefined : JSON.parse(text);
  if (!answer.ok) throw new Error(said?.message ?? `The gateway answered ${answer.status}.`);
  return said;
}

/** Signs a user in for an hour; a new one is signed up before. */
export async function signIn({ email, password, isNew }) {
  if (isNew) await ask('POST', '/auth/v1/signup', { email, password });
  token = (await ask('POST', '/auth/v1/token?grant_type=password', { email, password })).access_token;
}

export const notes = {
  list: () => ask('GET', '/rest/v1/notes?select=id,body&order=id.desc&limit=100'),
  add: (body) => ask('POST', '/rest/v1/notes', { body }),
  remove: (id) => ask('DELETE', `/rest/v1/notes?id=eq.${id}`),
};
