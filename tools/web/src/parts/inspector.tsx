// One entry taken apart: its sentence, its formula, the products it is the sum of, the true value beside it. Factors lead on.
import type { CellReport, Factor, Num, Product } from "../engine/types";
import { largest, parsed, precise, shown } from "../values";
import { Bar } from "./bars";
import { Maths, useLatex } from "./math";
import { cancels, sentence } from "./sentence";

interface Props {
  report: CellReport;
  text: string;
  tokens: string[];
  pinned: boolean;
  bare?: boolean; // without the formula
  descend: (cell: string) => void;
}

const nameOf = (f: Factor) => (f.index ? `${f.name}[${f.index.join(",")}]` : f.name);

function Name({ factor, opened, descend }: { factor: Factor; opened: boolean; descend: (cell: string) => void }) {
  const name = nameOf(factor);
  if (opened) return <b>{name}</b>;
  if (!factor.index || !isEntry(factor.name)) return <span>{name}</span>;
  return (
    <button type="button" class="descend" onClick={() => descend(name)} data-factor={name}>
      {name}
    </button>
  );
}

function signed(x: Num, first: boolean): string {
  const text = shown(x);
  return typeof x === "number" && x < 0 && !first ? `(${text})` : text;
}

function ProductRow({
  product,
  most,
  opened,
  descend,
  share,
}: {
  product: Product;
  most: number;
  opened: Set<string>;
  descend: (cell: string) => void;
  share: boolean;
}) {
  const joint = (f: Factor, i: number) => (f.divides ? (i === 0 ? "1 / " : " / ") : i > 0 ? " × " : "");
  return (
    <tr class={product.product === 0 ? "nothing" : ""}>
      <td class="terms">
        <div>
          {product.minus && "− "}
          {product.factors.map((f, i) => (
            <span key={i}>
              {joint(f, i)}
              <Name factor={f} opened={opened.has(nameOf(f))} descend={descend} />
            </span>
          ))}
        </div>
        <div class="numbers">
          = {product.minus && "− "}
          {product.factors.map((f, i) => joint(f, i) + signed(f.value, i === 0 && !product.minus)).join("")}
        </div>
      </td>
      <td class="number" data-exact={String(product.product)}>
        {shown(product.product)}
        {share && typeof product.share === "number" && product.product !== 0 && (
          <small> {Math.round(100 * product.share)} %</small>
        )}
      </td>
      <td>
        <Bar value={product.product} most={most} />
      </td>
    </tr>
  );
}

const MOST = 40; // products that are listed

function Products({
  products,
  sum,
  label,
  ...rest
}: {
  products: Product[];
  sum: Num;
  label: string;
  opened: Set<string>;
  descend: (cell: string) => void;
}) {
  const most = largest(products.map((p) => p.product));
  const share = !cancels(products) && products.length > 1;
  return (
    <table class="products" aria-label={label}>
      <colgroup>
        <col />
        <col class="comes-to" />
        <col class="as-bar" />
      </colgroup>
      <thead class="unseen">
        <tr>
          <th scope="col">product</th>
          <th scope="col">comes to</th>
          <th scope="col">as a bar</th>
        </tr>
      </thead>
      <tbody>
        {products.slice(0, MOST).map((p, i) => (
          <ProductRow key={i} product={p} most={most} share={share} {...rest} />
        ))}
        {products.length > MOST && (
          <tr>
            <td colSpan={3}>and {products.length - MOST} more</td>
          </tr>
        )}
        <tr class="sum">
          <td>{products.length > 1 ? `sum of ${products.length} products` : "its value"}</td>
          <td class="number" data-exact={String(sum)}>
            {shown(sum)}
          </td>
          <td />
        </tr>
      </tbody>
    </table>
  );
}

export function Inspector({ report, text, tokens, pinned, bare = false, descend }: Props) {
  const formulas = useLatex(text, bare ? [] : [report.formula]);
  const opened = new Set((report.opened ?? []).map((o) => o.factor));
  return (
    <div class={`inspector ${pinned ? "pinned" : ""}`}>
      <h2>
        {report.cell} = <span data-exact={String(report.true ?? report.sum)}>{shown(report.true ?? report.sum)}</span>
      </h2>
      <p class="sentence" aria-live="polite">
        {sentence(report, tokens)}
      </p>
      {report.formula && !bare && (
        <p class="formula">
          <Maths latex={formulas.get(report.formula)} text={report.formula} />
        </p>
      )}
      {report.products.length > 0 && (
        <Products
          products={report.products}
          sum={report.sum}
          label={`products of ${report.cell}`}
          opened={opened}
          descend={descend}
        />
      )}
      {(report.opened ?? []).map((o) => (
        <details key={o.factor} open>
          <summary>where {o.factor} is</summary>
          <Products products={o.products} sum={o.sum} label={`products of ${o.factor}`} opened={new Set()} descend={descend} />
        </details>
      ))}
      {report.true !== undefined && (
        <dl class="compared">
          <dt>true, by dual numbers</dt>
          <dd data-exact={String(report.true)}>{precise(report.true)}</dd>
          {report.difference !== undefined && <dt>by finite differences</dt>}
          {report.difference !== undefined && <dd data-exact={String(report.difference)}>{precise(report.difference)}</dd>}
        </dl>
      )}
      {report.used_in && <p class="used">Used in {report.used_in}.</p>}
      {report.doubt && <p class="warning">Cannot tell: {report.doubt}</p>}
    </div>
  );
}

/// The cells that a report is made of: those of its products, and those within a factor that is opened.
export function contributors(report: CellReport): { factors: string[]; inner: string[] } {
  const names = (products: Product[]) => products.flatMap((p) => p.factors.filter((f) => f.index).map(nameOf));
  return { factors: names(report.products), inner: (report.opened ?? []).flatMap((o) => names(o.products)) };
}
/// Whether an entry of that name is one of the value: exp(S[0,1]) is not.
export const isEntry = (cell: string): boolean => !/[\s()+^]/.test(parsed(cell).name);
