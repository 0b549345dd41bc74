// Passkeys on the pages of the gateway itself. Forms that need one are hidden until this finds that the browser can.
(() => {
  const known = window.PublicKeyCredential;
  if (!known?.parseRequestOptionsFromJSON || !known.parseCreationOptionsFromJSON) return;

  const forms = document.querySelectorAll('form[data-ceremony]');

  // A browser keeps passkeys for names alone.
  if (/^(\d+\.){3}\d+$|^\[/.test(location.hostname)) {
    if (forms.length === 0) return;
    const notice = Object.assign(document.createElement('p'), {
      textContent: 'There are no passkeys for an address of numbers. ',
    });
    notice.setAttribute('role', 'alert');
    if (/^(127\.|\[::1\])/.test(location.hostname)) {
      const named = new URL(location.href);
      named.hostname = 'localhost';
      notice.append(Object.assign(document.createElement('a'), { href: named.href, textContent: 'Open this page as localhost' }));
    } else notice.append('Open this page by the name of the server.');
    forms[0].before(notice);
    return;
  }

  const ask = async (path, given, csrf, method = 'POST') => {
    const answer = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(csrf && { 'x-svc-csrf': csrf }),
      },
      ...(method === 'POST' && { body: JSON.stringify(given) }),
    });
    const said = await answer.json().catch(() => ({}));
    if (answer.ok) return said;
    throw Object.assign(new Error(said.message), { code: said.code });
  };

  const fieldsOf = (form) =>
    Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));

  const meet = async (form) => {
    const { ceremony, options: optionsPath, verify, after: afterPath, afterMethod, csrf } = form.dataset;
    const given = fieldsOf(form);
    const { options } = await ask(optionsPath, given, csrf);
    const met =
      ceremony === 'create'
        ? await navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(options) });
    const proven = await ask(verify, { ...given, response: met.toJSON() }, csrf);
    return afterPath ? ask(afterPath, given, csrf, afterMethod) : proven;
  };

  // What is shown once and lives nowhere else.
  const show = (codes) => {
    const place = document.getElementById('recovery-codes');
    const list = place.getElementsByTagName('ul')[0];
    list.replaceChildren(
      ...codes.map((code) => {
        const item = document.createElement('li');
        item.append(Object.assign(document.createElement('code'), { textContent: code }));
        return item;
      }),
    );
    place.hidden = false;
    place.focus();
  };

  const byBrowser = {
    NotAllowedError: 'No passkey was used: the request was cancelled, or took too long.',
    InvalidStateError: 'This device has a passkey of yours already.',
  };

  const goOn = (form, button, answer) => {
    if (answer.recovery_codes) {
      show(answer.recovery_codes);
      button.disabled = false;
      return;
    }
    if (answer.redirect_url === null && answer.code && window.opener) {
      // The page that asked is of this very origin: a browser hands it to no other.
      window.opener.postMessage({ type: 'svc.write-auth', code: answer.code, state: answer.state }, location.origin);
      window.close();
      return;
    }
    if (answer.message) {
      const [said] = form.getElementsByClassName('said');
      said.textContent = answer.message;
      said.hidden = false;
      form.reset();
      button.disabled = false;
      return;
    }
    location.assign(answer.redirect_url || answer.redirect_to || answer.auth_url || form.dataset.next);
  };

  for (const form of forms) {
    const [alert] = form.getElementsByClassName('fault');
    const [button] = form.getElementsByTagName('button');
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      button.disabled = true;
      for (const word of form.querySelectorAll('.fault, .said')) {
        word.textContent = '';
        word.hidden = true;
      }
      try {
        goOn(form, button, await meet(form));
      } catch (error) {
        alert.textContent = byBrowser[error.name] ?? (error.message || 'That did not succeed. Please try again.');
        alert.hidden = false;
        button.disabled = false;
      }
    });
    form.hidden = false;
  }
})();
