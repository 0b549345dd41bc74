// Passkeys on the pages of a project's host. They work without it: it shows the forms that need it.
(() => {
  const known = window.PublicKeyCredential;
  if (!known?.parseRequestOptionsFromJSON || !known.parseCreationOptionsFromJSON) return;

  const ask = async (path, given) => {
    const answer = await fetch(`/auth/passkeys/${path}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(given),
    });
    const said = await answer.json().catch(() => ({}));
    if (answer.ok) return said;
    throw Object.assign(new Error(said.message), { code: said.code });
  };

  const signIn = async (form) => {
    const { challenge_id, options } = await ask('login/options', {});
    const found = await navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(options) });
    const returnTo = form.elements.namedItem('returnTo').value;
    const { redirect_to } = await ask('login/verify', { challenge_id, response: found.toJSON(), returnTo });
    return redirect_to;
  };

  const register = async (form) => {
    const { challenge_id, options } = await ask('register/options', {});
    const made = await navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(options) });
    const label = form.elements.namedItem('label').value.trim();
    await ask('register/verify', { challenge_id, response: made.toJSON(), ...(label && { label }) });
    return location.pathname;
  };

  // Where a user has to go before the same can succeed.
  const leads = {
    SVC_AUTH_FRESHNESS_REQUIRED: '/auth/re-auth',
    SVC_AUTH_REQUIRED: '/auth/sign-in',
    SVC_AUTH_SESSION_EXPIRED: '/auth/sign-in',
    SVC_AUTH_SESSION_INVALID: '/auth/sign-in',
  };
  const byBrowser = {
    NotAllowedError: 'No passkey was used: the request was cancelled, or took too long.',
    InvalidStateError: 'This device has a passkey of yours already.',
  };

  const serve = (id, run) => {
    const form = document.getElementById(id);
    if (form === null) return;
    const [alert] = form.getElementsByClassName('fault');
    const [button] = form.getElementsByTagName('button');
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      button.disabled = true;
      alert.textContent = '';
      alert.hidden = true;
      try {
        location.assign(await run(form));
      } catch (error) {
        const lead = leads[error.code];
        if (lead !== undefined) return location.assign(`${lead}?returnTo=${encodeURIComponent(location.pathname)}`);
        alert.textContent = byBrowser[error.name] ?? (error.message || 'That did not succeed. Please try again.');
        alert.hidden = false;
        button.disabled = false;
      }
    });
    form.hidden = false;
  };
  serve('passkey-sign-in', signIn);
  serve('passkey-register', register);
})();
