"""The unit tables as text: currencies, physical and other units, classifiers."""

from __future__ import annotations

from decimal import Decimal

CURRENCIES = {
    "CNY": "元 人民币 元人民币 块 块钱 圆 RMB CNY yuan renminbi",
    "USD": "美元 美金 美刀 刀 USD dollar dollars",
    "HKD": "港元 港币 HKD",
    "EUR": "欧元 EUR euro euros",
    "JPY": "日元 日圆 JPY yen",
    "GBP": "英镑 GBP",
    "KRW": "韩元 韩圆 KRW",
    "TWD": "新台币 台币 新台币元 TWD NTD",
    "AUD": "澳元 澳币 AUD",
    "CAD": "加元 加币 CAD",
    "SGD": "新加坡元 新币 新元 SGD",
    "MOP": "澳门元 澳门币 MOP",
    "CHF": "瑞士法郎 瑞郎 CHF",
    "RUB": "卢布 RUB",
    "INR": "卢比 INR",
    "THB": "泰铢 THB",
    "VND": "越南盾 VND",
    "MYR": "林吉特 MYR",
    "BRL": "雷亚尔 BRL",
    "USDT": "USDT",
}
PREFIX_CURRENCY = {
    "¥": "CNY", "RMB": "CNY", "CNY": "CNY", "人民币": "CNY", "$": "USD", "US$": "USD",
    "USD": "USD", "美元": "USD", "HK$": "HKD", "HKD": "HKD", "港币": "HKD", "港元": "HKD",
    "€": "EUR", "EUR": "EUR", "欧元": "EUR", "£": "GBP", "GBP": "GBP", "英镑": "GBP",
    "₩": "KRW", "NT$": "TWD", "新台币": "TWD", "A$": "AUD", "AU$": "AUD", "C$": "CAD",
    "S$": "SGD", "₽": "RUB", "₹": "INR", "฿": "THB", "JPY": "JPY", "日元": "JPY",
    "CHF": "CHF",
}  # fmt: skip

# type | canonical | "surface factor surface factor ..."
TABLE = """
length|m|公里 1000 千米 1000 华里 500 海里 1852 英里 1609.344 米 1 分米 0.1 厘米 0.01 公分 0.01
length|m|毫米 0.001 微米 0.000001 纳米 0.000000001 英尺 0.3048 英寸 0.0254 km 1000 m 1 dm 0.1
length|m|cm 0.01 mm 0.001 μm 0.000001 µm 0.000001 um 0.000001 nm 0.000000001 nmi 1852 ft 0.3048
length|m|inch 0.0254 inches 0.0254 feet 0.3048 foot 0.3048 mile 1609.344 miles 1609.344 meter 1
length|m|meters 1 metre 1 metres 1 kilometer 1000 kilometers 1000 kilometre 1000 kilometres 1000
length|m|centimeters 0.01 centimetres 0.01 millimeters 0.001 millimetres 0.001 ㎞ 1000 ㎝ 0.01
length|m|㎜ 0.001 延米 1 公里长 1000
area|m2|平方公里 1000000 平方千米 1000000 平方米 1 平米 1 平方 1 平方厘米 0.0001
area|m2|平方毫米 0.000001 公顷 10000 ㎡ 1 m² 1 m2 1 km² 1000000 km2 1000000 ㎢ 1000000
area|m2|cm² 0.0001 cm2 0.0001 mm² 0.000001 mm2 0.000001 ha 10000 hectares 10000
area|m2|平方英尺 0.09290304
area|亩|亩 1 畝 1
volume|L|立方米 1000 立方 1000 立方厘米 0.001 升 1 公升 1 毫升 0.001 微升 0.000001
volume|L|m³ 1000 m3 1000 ㎥ 1000 cm³ 0.001 cm3 0.001 L 1 l 1 mL 0.001 ml 0.001 ML 0.001
volume|L|μL 0.000001 µL 0.000001 dL 0.1 liter 1 liters 1 litre 1 litres 1 millilitres 0.001
volume|L|milliliters 0.001
volume|桶油|桶油 1
weight|kg|公吨 1000 吨 1000 千克 1 公斤 1 克 0.001 毫克 0.000001 微克 0.000000001 斤 0.5
weight|kg|市斤 0.5 t 1000 kg 1 KG 1 Kg 1 g 0.001 mg 0.000001 μg 0.000000001 µg 0.000000001
weight|kg|mcg 0.000000001 ㎏ 1 磅 0.45359237 盎司 0.028349523125 lb 0.45359237 lbs 0.45359237
weight|kg|oz 0.028349523125 kilograms 1 grams 0.001 milligrams 0.000001 tonnes 1000
weight|kg|pounds 0.45359237
speed|km/h|公里/小时 1 千米/小时 1 公里/时 1 千米/时 1 公里每小时 1 千米每小时 1 km/h 1 kph 1
speed|km/h|KM/H 1 米/秒 3.6 米每秒 3.6 m/s 3.6 mph 1.609344 节航速 1.852 knots 1.852
data|TB|TB 1 T 1
data|GB|GB 1 G 1 吉字节 1
data|MB|MB 1 M 1 兆字节 1 兆 1
data|KB|KB 1 kB 1 千字节 1
data|B|字节 1 bytes 1 byte 1
data|PB|PB 1
data|bit|bit 1 bits 1 比特 1
data|GiB|GiB 1
data|MiB|MiB 1
data|Mbps|Mbps 1 Mb/s 1 Gbps 1000 Kbps 0.001 kbps 0.001
data|MB/s|MB/s 1 GB/s 1000
power|W|瓦 1 瓦特 1 千瓦 1000 兆瓦 1000000 吉瓦 1000000000 毫瓦 0.001 匹马力 735.49875 W 1
power|W|kW 1000 KW 1000 MW 1000000 GW 1000000000 mW 0.001 kilowatts 1000 megawatts 1000000
power|W|watts 1 gigawatts 1000000000
energy|kWh|千瓦时 1 千瓦·时 1 千瓦小时 1 度电 1 kWh 1 KWh 1 kwh 1 MWh 1000 GWh 1000000
energy|kWh|TWh 1000000000 Wh 0.001 瓦时 0.001 兆瓦时 1000 吉瓦时 1000000
energy|J|焦耳 1 焦 1 千焦 1000 kJ 1000 KJ 1000 J 1 MJ 1000000
energy|kcal|千卡 1 大卡 1 kcal 1 卡路里 0.001 卡 0.001
measure|Hz|赫兹 1 赫 1 千赫 1000 兆赫 1000000 吉赫 1000000000 Hz 1 kHz 1000 KHz 1000 MHz 1000000
measure|Hz|GHz 1000000000
measure|V|伏 1 伏特 1 千伏 1000 kV 1000 KV 1000 V 1 mV 0.001
measure|A|安 1 安培 1 毫安 0.001 mA 0.001 A 1
measure|mAh|毫安时 1 mAh 1 Ah 1000 安时 1000
measure|Pa|帕 1 千帕 1000 百帕 100 兆帕 1000000 Pa 1 kPa 1000 hPa 100 MPa 1000000
measure|Ω|欧姆 1 Ω 1 kΩ 1000 MΩ 1000000 mΩ 0.001 μΩ 0.000001
measure|N|牛顿 1 kN 1000
measure|dB|dB 1 分贝 1
measure|px|像素 1 px 1
measure|mmHg|mmHg 1 毫米汞柱 1
measure|ppm|ppm 1
measure|lx|lux 1 勒克斯 1 lx 1
measure|mSv|毫西弗 1 mSv 1 微西弗 0.001
measure|rpm|rpm 1 转/分 1 转/分钟 1 r/min 1 转每分钟 1
measure|IU|IU 1 国际单位 1
measure|nit|尼特 1 nits 1
temperature|C|℃ 1 摄氏度 1 °C 1 º 1 ° 1 celsius 1
temperature|F|℉ 1 华氏度 1 °F 1
percent||% 1 ‰ 0.1 percent 1 pct 1 个百分比 1
pp||个百分点 1 百分点 1 个百份点 1 pp 1 pct点 1 个点 1 个基点 0.01 基点 0.01 个基准点 0.01
pp||bp 0.01 bps 0.01 BP 0.01 BPs 0.01 bP 0.01 BPS 0.01
duration|month|年 12 年期 12 周年 12 个月 1 月期 1 个季度 3 个年度 12 年时间 12 月龄 1 years 12
duration|month|year 12 months 1 month 1 yr 12 yrs 12 个世纪 1200 decades 120
duration|month|个自然月 1 个完整年度 12 个学年 12 学年 12 个半年 6 quarters 3
duration|day|天 1 日 1 周 7 星期 7 个星期 7 礼拜 7 个礼拜 7 个自然日 1 自然日 1 昼夜 1 个昼夜 1
duration|day|个整周 7 day 1 days 1 week 7 weeks 7 整天 1 个整天 1
duration|workday|个工作日 1 工作日 1 个交易日 1 交易日 1
duration|hour|小时 1 个小时 1 钟头 1 个钟头 1 h 1 H 1 hr 1 hrs 1 hour 1 hours 1
duration|minute|分钟 1 min 1 mins 1 minute 1 minutes 1 刻钟 15
duration|second|秒 1 秒钟 1 s 1 sec 1 second 1 seconds 1 毫秒 0.001 ms 0.001 微秒 0.000001
duration|second|μs 0.000001 µs 0.000001 纳秒 0.000000001 ns 0.000000001 milliseconds 0.001
"""
CLASSIFIERS = """
寸 夜 晚
人 名 位 个 家 项 件 台 辆 架 套 条 起 次 户 座 所 间 层 栋 幢 棵 株 只 头 匹 份 张 本 册 部 篇
首 场 届 期 门 类 种 款 批 组 支 队 枚 颗 粒 块 片 瓶 箱 袋 盒 包 桶 杯 碗 盘 餐 桌 道 题 页 行
列 字 词 句 段 章 节 课 课时 学时 学分 分 岁 周岁 票 股 手 注 笔 单 班 趟 站 艘 轮 局 球 点 代
剂 针 例 床 席 倍 重 面 幅 口 根 朵 把 双 对 副 顶 扇 尊 员 转 圈 步 度 级 档 版 人次 架次 台次
班次 车次 艘次 辆次 列次 场次 频次 批次 人份 人天 人日 人月 车位 床位 席位 工位 个百 户次 单位
标箱 TEU 层楼 室 厅 卫 万步 盏 担 串 滴 缸 罐 捆 卷 叠 打 帧 子 元素 胎 窝 丛 环 胜 负 平 连胜
比 号 拍 孔 枪 发 弹 盎 亩地 米线 格 招 宗 桩 桶装 款式 国 省 市 县 区 镇 乡 村 校 院 处 岗 编
人民 联 开 折页 针次 剂次 瓦楞 印张 千字 people person persons users employees students
units items times cases customers stores copies
"""
PEOPLE = {"people": "人", "person": "人", "persons": "人"}
#: Units of money below the yuan, by their worth.
SUB_MONEY = {"角": Decimal("0.1"), "毛": Decimal("0.1"), "分": Decimal("0.01")}
