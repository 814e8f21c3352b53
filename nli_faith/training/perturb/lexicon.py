"""Word lists by hand: what may replace what, and what that does to a claim.

Every entry was chosen to read well in news prose when it stands as a word of its own. The raw
synonym and antonym dictionaries hold too many pairs that fit in one sense only.

A swap may ask something of the next word: ``v`` a verb, adverb or preposition, ``m`` a number,
``n`` a noun, ``o`` not a verb, ``.`` the end of a clause.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from nli_faith.text.chars import word_set


class Swap(NamedTuple):
    """A word and what replaces it.

    Attributes:
        old: The word as it stands in a claim.
        new: What takes its place.
        needs: What the next word must be; empty when any will do.
        kind: Type of the edit.
        label: Label of the edited claim.
    """

    old: str
    new: str
    needs: str = ""
    kind: str = ""
    label: str = ""


def pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Pairs from words of the form ``old>new``.

    Args:
        text: The pairs, separated by white space.
    """
    found = (item.partition(">") for item in text.split())
    return tuple((old, new) for old, _, new in found)


def _read(text: str, kind: str = "", label: str = "") -> list[Swap]:
    """Swaps from ``old>new:needs`` (one way) and ``old/new:needs`` (both ways)."""
    out: list[Swap] = []
    for item in text.split():
        body, _, needs = item.partition(":")
        if ">" in body:
            old, new = body.split(">")
            out.append(Swap(old, new, needs, kind, label))
        else:
            old, new = body.split("/")
            out += [Swap(old, new, needs, kind, label), Swap(new, old, needs, kind, label)]
    return out


SYNONYMS: Final = _read(
    """
    目前/当前:v 超过/逾:m 约/大约:m 已经>已:v 已>已经:v 共>一共:v 一共>共:v 共计/总计:m
    总共>一共:v 日前>近日 达到/达:m 无法>不能:v 尚未/还没有:v 未>没有:v 并未>并没有:v
    仅>只:v 只>仅:v 每天/每日 举办>举行:. 举行>举办:. 均>都:v 亦>也 仍>仍然:v 仍然>仍:v
    拟>计划:v 计划>拟:v 获悉>了解到 得知>获悉 此前>早前:v 近年来/近些年来 由于>因为 因为>由于
    死亡>身亡:. 立即/立刻 马上>立刻:v 十分/非常 较为>比较 难以>很难:v 抵达>到达:o 应当>应:v
    应>应当:v 能够>能:v 可>可以:v 可以>可:v 并>并且:v 曾>曾经:v 曾经>曾:v
    此次>这次:o 该>这一:n 将>将会:v 将会>将:v 不得>不能:v 倘若>如果 若>如果 截止>截至:m
    不足>不到:m 不到>不足:m 逐步>逐渐 逐渐>逐步 尤其>特别 正>正在:v 正在>正:v
    为了>为:v 持续>不断:v 全都>都 依然>仍然 至今>到现在:v 自>从:m 与>和:n 同>和:n
    依据>根据:n 按照>依照 共有>一共有:m 合计>总计:m 约为>大约是:m 上涨>涨:m 下跌>跌:m
    首次>第一次:v 居民>住户:. 孩子>小孩 医治>治疗 遇难>丧生:. 丧生>遇难:. 当日>当天 当天>当日
    次日>第二天 今日>今天 今天>今日 昨日>昨天 昨天>昨日 明日>明天 现已>目前已:v
    """
)

NEGATION: Final = _read(
    """
    会/不会:v 能/不能:v 可以/不可以:v 能够>不能:v 允许/不允许 需要/不需要 需/无需:v 有/没有:n
    存在/不存在:n 属于/不属于 包括/不包括 包含/不包含 具有/不具有 具备/不具备 愿意/不愿意
    符合/不符合 适合/不适合 涉及/不涉及:n 提供/不提供:n 是/不是 必须/不必:v 已/尚未:v 已经/尚未:v
    曾/从未:v 曾经>从未:v 没有>已:v 并未>已经:v 未>已:v 未能/成功:v 无法>可以:v 不得>可以:v
    无>有:n 仍>不再:v 不再>仍:v 不予>予以:v 将>不会:v 将会>不会:v 一定>不一定:v 同意>不同意
    接受>不接受 不同意>同意 承认>不承认 认可>不认可 影响>不影响:n 支持>不支持:n 不支持>支持
    获得>未获得:n 未获得>获得 发现>未发现:n 参加>未参加:n 参与>未参与:n
    完成>未完成:n 通过>未通过:. 不仅>并非:v
    """,
    "negation",
    "contradicted",
)

MODALITY: Final = _read(
    """
    将/已:v 已经>将:v 即将>已经:v 可能>一定:v 可能会>一定会 或将>必将:v 有望>必将:v 计划>已经:v
    拟>已:v 预计>已经:v 打算>已经:v 已>计划:v 已>拟:v 已经>预计:v 已经>即将:v 已经>有望:v
    正在/即将:v 应当/可以:v 必须>可以:v 可以>必须:v 可>必须:v 建议/要求:v 鼓励/要求:v 建议>规定:v
    禁止/允许 力争>确保:v 初步>最终 自愿/强制:v 暂时/永久:v 暂停>终止 通常>总是 有时>总是
    往往>总是:v 经常>总是:v 一般>一律:v 或>必将:v 或许>肯定:v 也许>肯定:v 必将>可能不会:v
    预计>确认:n 呼吁>要求:n 必然>未必:v 肯定>未必:v 一定会>未必会
    将会>已经:v 准备>已经:v 争取>确保:v 试图>成功:v 尝试>成功:v 完全>部分:v 基本>完全:v
    分批>一次性:v 原则上>一律 尽量>必须:v 优先>只:v 鼓励>强制:n
    """,
    "modality",
    "unsupported",
)

QUANTIFIER: Final = _read(
    """
    部分>全部:n 部分>所有:n 大部分>全部:n 多数>所有:n 大多数>所有:n 绝大多数>所有 至少/至多:m
    至少/最多:m 全国/全省 全省/全市 全球/全国 全市/全县 全年/上半年 上半年/下半年 一季度/二季度
    三季度/四季度 首次>第二次:v 首次>再次:v 再次>首次:v 首个/第二个 首家/第二家 首届>第二届
    每年/每月 每天/每周 每月/每周 日均/月均 年均/月均 同比/环比 国内/海外 城镇/农村 一线/二线
    少数/多数 大部分/小部分 绝大多数/极少数 普遍>个别 主要>只:v 仅>超过:m 逾>不足:m
    超过/不足:m 不到>超过:m 近>超过:m 多家>所有 多名>所有 一些>所有 有些>所有 许多>所有:n
    很多>所有:n 所有>少数:n 全部>少数:n 多次>一次:v 反复>一次:v 长期>偶尔:v
    全程>部分路段 全体>部分 单日>单月 分别>均为:m 先后>同时:v 陆续>同时:v 全面>局部:v
    """,
    "scope",
    "unsupported",
)

COMPARISON: Final = _read(
    """
    高于/低于 多于/少于 大于/小于 优于/劣于 领先/落后 最高/最低 最大/最小 最多/最少:n 最快/最慢
    最早/最晚 早于/晚于 快于/慢于 强于/弱于 更高/更低 更多/更少 更大/更小 更快/更慢 较高/较低
    较大/较小 较多/较少 第一/第二 第二/第三 冠军/亚军 金牌/银牌 银牌/铜牌 跑赢/跑输 领跑/垫底
    以上/以下 榜首/第二 前列/末尾 最强/最弱 最好/最差 最长/最短 亚军/季军
    高达/仅为:m 多达/仅有:m 长达/仅:m 超/不足:m
    """,
    "comparison",
    "contradicted",
)

ANTONYMS: Final = _read(
    """
    增长/下降 上升/下降 上涨/下跌 提高/降低 提升/降低 增加/减少 扩大/缩小 上调/下调 流入/流出
    净流入/净流出 买入/卖出 净买入/净卖出 进口/出口 收入/支出 盈利/亏损 涨幅/跌幅 升幅/降幅
    增幅/降幅 涨停/跌停 走高/走低 升温/降温 升级/降级 升值/贬值 开放/关闭 开启/关闭 打开/关闭
    开始/结束:n 启动/终止 恢复/暂停 继续/停止 加快/放缓 加速/减速 加强/削弱 增强/减弱 延长/缩短
    提前/推迟 批准/否决:n 接受/拒绝 同意/拒绝 支持/反对:n 赞成/反对 承认/否认 胜诉/败诉
    原告/被告 获胜/落败 击败/负于 战胜/负于 晋级/出局 上午/下午 凌晨/傍晚 早上/晚上 白天/夜间
    东部/西部 南部/北部 东南/西北 东北/西南 北方/南方 东侧/西侧 南侧/北侧 左侧/右侧 上游/下游
    室内/室外 线上/线下 境内/境外 国内/国外 国产/进口:n 城市/农村 男性/女性 男子/女子 男/女
    父亲/母亲 儿子/女儿 丈夫/妻子 哥哥/弟弟 姐姐/妹妹 成年人/未成年人 买家/卖家 买方/卖方
    甲方/乙方 供给/需求 公办/民办 公立/私立 免费/收费 有偿/无偿 直接/间接:n 主动/被动:v
    正常/异常 合法/非法 有效/无效:n 阳性/阴性 轻伤/重伤 轻微/严重 长期/短期 年初/年末 月初/月末
    年底/年初 期初/期末 春季/秋季 夏季/冬季 去年/今年 今年/明年 昨日/今日 昨天/今天 昨晚/今晚
    本月/上月 上周/本周 本周/下周 入境/出境 进站/出站 抵达/离开 出发/返回 加入/退出 入职/离职
    上任/卸任 上市/退市 上架/下架 出售/收购 顺差/逆差 利好/利空 高温/低温 增持/减持 增产/减产
    内部/外部 内侧/外侧 正面/负面 乐观/悲观 积极/消极 优势/劣势 进攻/防守 主场/客场
    上半场/下半场 首发/替补 起飞/降落 上车/下车 涨/跌 升/降 前者/后者 早间/晚间 收盘/开盘
    高开/低开 走强/走弱 偏高/偏低 偏强/偏弱 增多/减少 变大/变小 上行/下行 回升/回落 攀升/下滑
    反弹/回落 好转/恶化 改善/恶化 放宽/收紧 放松/收紧 宽松/紧缩 加息/降息 涨价/降价 登陆/离开:n
    结婚/离婚 出生/去世 岳父/岳母 祖父/祖母 爷爷/奶奶 前夫/前妻 叔叔/阿姨 男孩/女孩 男友/女友
    小学/中学 初中/高中 本科/专科 硕士/博士 队长/副队长 总经理/副总经理 主席/副主席 部长/副部长
    局长/副局长 市长/副市长 院长/副院长 主任/副主任 校长/副校长 总裁/副总裁 董事长/副董事长
    书记/副书记 会长/副会长 预售/现售 二手/全新 上线/下线 复工/停工 复课/停课 通车/停运
    开通/关停 开幕/闭幕 开业/停业 营业/停业 入围/落选 当选/落选 入选/落选 左转/右转
    """,
    "antonym",
    "contradicted",
)

SWAPS: Final[list[Swap]] = NEGATION + MODALITY + QUANTIFIER + COMPARISON + ANTONYMS
MARKERS: Final = tuple(sorted({s.old for s in SWAPS} | {s.new for s in SWAPS}))

# Verbs of deeds that may be planned.
PLANNED: Final = word_set(
    "收购 出售 启动 开展 推出 发布 签署 投入 建设 建成 开通 成立 组织 实施 投资 购买 召开 "
    "举行 采取 完成 举办 达到 达 超过 "
    "上映 上市 发行 开业 开工 投产 投用 前往 引进 新增 增加 减少 扩大 "
    "恢复 取消 推迟 提高 降低 升级 进入 返回 离开 抵达 交付 搬迁"
)
# What 将 stands before when it speaks of the future, besides.
BEHIND_WILL: Final = word_set(
    "于 在 对 继续 持续 进行 加强 加大 按照 依法 成为 获得 面临 参加 推动 提供 以 由 从 "
    "与 向 为 根据 出现 迎来 不断 正式 陆续 "
    "全面 积极 支持 影响 负责 承担 打造 深入 严格 展开 用于 受到 得到 导致 升至 降至 使用 "
    "采用 搭载 配备 登陆 赴 出席 访问 执行 "
    "终止 暂停 结束 重点 逐步 联合 利用 带来 采取"
)
